import { isDeepStrictEqual } from 'node:util';
import type { WorldDatabase } from './database.ts';
import type { Design } from './design.ts';
import { faultsOfEffects, visibleIn } from './effects.ts';
import { Exchanges, Remembered, type Answer } from './exchanges.ts';
import type { Leak } from './leaks.ts';
import { ANN } from './rules.ts';
import { faultsOfSeen } from './seen.ts';
import type { Served } from './serve.ts';
import type { Exchange, Step } from './steps.ts';
import type { World } from './tables.ts';

/** What happens to two worlds in which ann sees the same. */
export interface Case {
  readonly design: Design;
  readonly worlds: readonly [World, World];
  readonly steps: readonly Step[];
}

export type BothServed = readonly [Served, Served];

/** How ann could tell the worlds from each other, or what else is wrong; ends with the first step of which something is. */
export async function faultsOf(
  { design, worlds, steps }: Case,
  served: BothServed,
  leak?: Leak,
): Promise<string[]> {
  const [one, other] = served;
  const tables = [one.tables, other.tables] as const;
  await inBoth((index) => tables[index].fill(worlds[index]));
  await using first = await one.serve(design, leak);
  await using second = await other.serve(design, leak);
  const exchanges = [new Exchanges(first.url), new Exchanges(second.url)] as const;
  const remembered = new Remembered();
  let before = await inBoth((index) => tables[index].rows());
  for (const [number, step] of steps.entries()) {
    const faults: string[] = [];
    if (step.kind === 'hide') {
      await hide(design, step, tables);
    } else if (step.kind === 'other') {
      await inBoth((index) => exchanges[index].send(step.caller, step.exchanges[index]));
      await alignIds(tables);
    } else {
      const exchange = remembered.resolve(step.exchange);
      const [a, b] = await inBoth((index) => askTogether(exchanges[index], exchange, step.beside));
      a.forEach((answer) => remembered.add(answer));
      if (!isDeepStrictEqual(a, b)) {
        faults.push(`${JSON.stringify(exchange)} is answered ${told(a)} or ${told(b)}`);
      }
    }
    const after = await inBoth((index) => tables[index].rows());
    if (step.kind === 'ask') {
      faults.push(
        ...faultsOfEffects(design, before[0], after[0]),
        ...faultsOfEffects(design, before[1], after[1]),
      );
      const [a, b] = await inBoth((index) => tables[index].nextIds());
      if (!isDeepStrictEqual(a, b)) {
        faults.push(`the next ids are ${JSON.stringify(a)} or ${JSON.stringify(b)}`);
      }
    }
    const [a, b] = [visibleIn(design, after[0]), visibleIn(design, after[1])];
    if (!isDeepStrictEqual(a, b)) {
      faults.push(`ann sees ${JSON.stringify(a)} or ${JSON.stringify(b)}`);
    }
    before = after;
    if (faults.length > 0) {
      return faults.map((fault) => `step ${number}, ${JSON.stringify(step)}: ${fault}`);
    }
  }
  const shown = await inBoth((index) => faultsOfSeen(design, before[index], exchanges[index]));
  return shown.flat();
}

/** Whatever has been done in one world only, the next rows are given the same ids in both. */
async function alignIds(tables: readonly [WorldDatabase, WorldDatabase]): Promise<void> {
  const [one, other] = await inBoth((index) => tables[index].nextIds());
  const last = Object.fromEntries(
    Object.entries(one).map(([name, next]) => [name, Math.max(next, other[name] ?? 0)]),
  );
  await inBoth((index) => tables[index].giveNextIds(last));
}

/** Does it in both worlds, if ann still sees the same in both. */
async function hide(
  design: Design,
  { model, id, values }: Step & { readonly kind: 'hide' },
  tables: readonly [WorldDatabase, WorldDatabase],
): Promise<void> {
  const changed = await inBoth((index) => tables[index].beginChange(model, id, values[index]));
  const isSame =
    !changed.includes(false) &&
    isDeepStrictEqual(
      ...(await inBoth(async (index) => visibleIn(design, await tables[index].rows()))),
    );
  await inBoth((index) => tables[index].endChange(isSame ? 'COMMIT' : 'ROLLBACK'));
}

async function inBoth<Result>(
  act: (index: 0 | 1) => Promise<Result>,
): Promise<readonly [Result, Result]> {
  return Promise.all([act(0), act(1)]);
}

/** What ann is answered while others ask for the same. */
async function askTogether(
  exchanges: Exchanges,
  exchange: Exchange,
  beside: readonly string[],
): Promise<readonly Answer[]> {
  const callers = [...beside, ANN];
  const answers = await Promise.all(
    callers.map(async (caller) => ({ caller, answer: await exchanges.send(caller, exchange) })),
  );
  return answers.flatMap(({ caller, answer }) => (caller === ANN ? [answer] : []));
}

function told(answers: readonly Answer[]): string {
  return JSON.stringify(answers);
}
