import { randomNumbers } from './random.ts';

export const works = ['hot', 'mixed', 'get', 'create', 'mix'] as const;
/** What a server is given to do; see docs/results/benchmark.md. */
export type Work = (typeof works)[number];

export type Call =
  | {
      readonly does: 'list';
      readonly status: string;
      readonly limit: number;
      readonly after?: number;
    }
  | { readonly does: 'get'; readonly id: number }
  | {
      readonly does: 'create';
      readonly name: string;
      readonly categoryId: number;
      readonly status: string;
    };

const STATUSES = ['available', 'pending', 'sold'] as const;
const HOT = { does: 'list', status: 'available', limit: 20 } as const;

/** So many different calls, that two of a moment are hardly ever the same one. */
const DISTINCT = 20_000;

/** So many animals stay behind `after` that a small table gives as long pages as a large one. */
const BEHIND = 750;

/** The calls of a work, the same at every run, on a table with the ids 1 to `pets`. */
export function callsOf(work: Work, pets: number): readonly Call[] {
  const random = randomNumbers(pets);
  const integer = (from: number, to: number) => from + Math.floor(random() * (to - from + 1));
  const status = () => STATUSES[integer(0, STATUSES.length - 1)] ?? 'available';

  const list = (): Call => ({
    does: 'list',
    status: status(),
    limit: integer(1, 100),
    after: integer(0, Math.max(0, pets - BEHIND)),
  });
  const get = (): Call => ({ does: 'get', id: integer(1, pets) });
  const create = (): Call => ({
    does: 'create',
    name: `Animal ${integer(1, 1_000_000)}`,
    categoryId: integer(1, 5),
    status: status(),
  });
  const any = (): Call => {
    const share = random();
    if (share < 0.9) return HOT;
    return share < 0.98 ? get() : create();
  };
  const makers = { mixed: list, get, create, mix: any };
  return work === 'hot' ? [HOT] : Array.from({ length: DISTINCT }, makers[work]);
}
