import { randomNumbers } from './random.ts';

/** The workloads that every server supports, and that the report shows. */
export const reportedWorkloads = ['hot', 'mixed', 'get', 'create'] as const;
export const workloads = [...reportedWorkloads, 'ids', 'change', 'remove', 'mix'] as const;
/** Additional workloads, for clusters. */
const clusterWorkloads = ['by-id', 'keyed-create'] as const;
/** A kind of load for a server; see docs/results/benchmark.md. */
export type Workload = (typeof workloads)[number] | (typeof clusterWorkloads)[number];

export type Call =
  | {
      readonly does: 'list';
      readonly status: string;
      readonly limit: number;
      readonly after?: number;
    }
  | { readonly does: 'get' | 'remove'; readonly id: number }
  | { readonly does: 'ids'; readonly ids: readonly number[] }
  | { readonly does: 'page'; readonly after: number }
  | {
      readonly does: 'change';
      readonly id: number;
      readonly name: string;
      readonly status: string;
    }
  | {
      readonly does: 'create';
      readonly name: string;
      readonly categoryId: number;
      readonly status: string;
    };

const STATUSES = ['available', 'pending', 'sold'] as const;
const HOT = { does: 'list', status: 'available', limit: 20 } as const;

/** Number of different calls, so large that two concurrent calls are rarely the same. */
const DISTINCT = 20_000;

/** Number of ids in a list by ids. */
const IDS = 10;

/** Number of animals that always follow `after`, so that the pages of a small table are as long as those of a large one. */
const BEHIND = 750;

/**
 * Number of additional animals, to be changed, or to be removed once each. It exceeds the number that is removed in the nine
 * seconds of a cell at 256 connections.
 */
export const SPARE = 150_000;

/** Coprime to the number of spare animals, so that steps of this size visit all of them before any is visited again. */
const STEP = 7919;

/** Returns the calls of a workload, the same in every run, for a table with the ids 1 to `pets` and spare animals after them. */
export function callsOf(workload: Workload, pets: number): readonly Call[] {
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
  const name = () => `Animal ${integer(1, 1_000_000)}`;
  const spare = (index: number) => pets + 1 + ((index * STEP) % SPARE);
  const create = (): Call => ({
    does: 'create',
    name: name(),
    categoryId: integer(1, 5),
    status: status(),
  });
  const any = (): Call => {
    const share = random();
    if (share < 0.9) return HOT;
    return share < 0.98 ? get() : create();
  };
  const makers: Readonly<Record<Workload, (index: number) => Call>> = {
    hot: () => HOT,
    mixed: list,
    get,
    create,
    'keyed-create': create,
    ids: () => ({ does: 'ids', ids: Array.from({ length: IDS }, () => integer(1, pets)) }),
    change: (index) => ({ does: 'change', id: spare(index), name: name(), status: status() }),
    remove: (index) => ({ does: 'remove', id: spare(index) }),
    mix: any,
    'by-id': () => ({ does: 'page', after: integer(1, pets) }),
  };
  const length = workload === 'hot' ? 1 : workload === 'remove' ? SPARE : DISTINCT;
  return Array.from({ length }, (_, index) => makers[workload](index));
}

/** Whether a workload changes or removes the spare animals. */
export function needsSpare(workload: Workload): boolean {
  return workload === 'change' || workload === 'remove';
}

/** Whether a workload adds rows, with or without idempotency keys. */
export function addsRows(workload: Workload): boolean {
  return workload === 'create' || workload === 'keyed-create';
}
