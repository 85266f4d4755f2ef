import { isDeepStrictEqual } from 'node:util';
import type { Case, Step } from './cases.ts';
import { faultsOfEffects, faultsOfLists, visibleIn } from './checks.ts';
import { ANN, type Design } from './design.ts';
import { Exchanges, Remembered, type Answer } from './exchanges.ts';
import type { Exchange } from './requests.ts';
import type { Leak } from './schema.ts';
import type { Served } from './serve.ts';
import { changedWorld } from './worlds.ts';

type Tables = readonly [Served['tables'], Served['tables']];

const differences = (what: string, [a, b]: readonly [unknown, unknown]) =>
  isDeepStrictEqual(a, b) ? [] : [`${what} ${JSON.stringify(a)} or ${JSON.stringify(b)}`];

/** How ann can distinguish the worlds, or what else is wrong, until the first step with a fault. */
export async function faultsOf(
  { design, worlds, steps }: Case,
  [one, other]: readonly [Served, Served],
  leak?: Leak,
): Promise<string[]> {
  const tables = [one.tables, other.tables] as const;
  await inBoth((index) => tables[index].write(worlds[index]));
  await using first = await one.serve(design, leak);
  await using second = await other.serve(design, leak);
  const exchanges = [new Exchanges(first.url), new Exchanges(second.url)] as const;
  const remembered = new Remembered();

  async function faultsOfAsking({ exchange, beside }: Step & { readonly kind: 'ask' }) {
    const before = await inBoth((index) => tables[index].rows());
    const resolved = remembered.resolve(exchange);
    const answers = await inBoth((index) => askTogether(exchanges[index], resolved, beside));
    answers[0].forEach((answer) => remembered.add(answer));
    const after = await inBoth((index) => tables[index].rows());
    return [
      ...differences(`${JSON.stringify(resolved)} is answered`, answers),
      ...faultsOfEffects(design, before[0], after[0]),
      ...faultsOfEffects(design, before[1], after[1]),
      ...differences('the next ids are', await inBoth((index) => tables[index].nextIds())),
    ];
  }

  for (const [number, step] of steps.entries()) {
    const faults: string[] = [];
    if (step.kind === 'hide') {
      await hide(design, step, tables);
    } else if (step.kind === 'other') {
      await inBoth((index) => exchanges[index].send(step.caller, step.exchanges[index]));
      // In one of the worlds, the request may have used up an id.
      await inBoth((index) => tables[index].restartIds(200 + 100 * number));
    } else {
      faults.push(...(await faultsOfAsking(step)));
    }
    const seen = await inBoth(async (index) => visibleIn(design, await tables[index].rows()));
    faults.push(...differences('ann sees', seen));
    if (faults.length > 0) {
      return faults.map((fault) => `step ${number}, ${JSON.stringify(step)}: ${fault}`);
    }
  }
  const listed = await inBoth(async (index) =>
    faultsOfLists(design, await tables[index].rows(), exchanges[index]),
  );
  return listed.flat();
}

/** Changes a row in both worlds, if constraints allow that and ann then still sees the same in both. */
async function hide(
  design: Design,
  { model, id, values }: Step & { readonly kind: 'hide' },
  tables: Tables,
): Promise<void> {
  const [first, second] = await inBoth(async (index) =>
    changedWorld(await tables[index].rows(), model, id, values[index]),
  );
  if (first && second && isDeepStrictEqual(visibleIn(design, first), visibleIn(design, second))) {
    await inBoth((index) => tables[index].change(model, id, values[index]));
  }
}

function inBoth<Result>(
  act: (index: 0 | 1) => Promise<Result>,
): Promise<readonly [Result, Result]> {
  return Promise.all([act(0), act(1)]);
}

/** The answers to ann while others send the same request. */
async function askTogether(
  exchanges: Exchanges,
  exchange: Exchange,
  beside: readonly string[],
): Promise<readonly Answer[]> {
  const callers = [...beside, ANN];
  const answers = await Promise.all(callers.map((caller) => exchanges.send(caller, exchange)));
  return answers.filter((_answer, index) => callers[index] === ANN);
}
