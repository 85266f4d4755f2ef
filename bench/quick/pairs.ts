import { CommandFailure } from '@store-gateway/ops/command-line';
import { median } from '../figures/medians.ts';
import { type Costs, type Pair, type QuickCell, ratioOf, warmUpPair } from './compare.ts';
import { type PairRow, titleOf } from './pair-figures.ts';
import { startVersion, type Version } from './versions.ts';

/** Seconds for which a pair is measured with each kind of request. */
const ROUNDS = 3;

/**
 * How often each kind of request is warmed up. Code is recompiled when other kinds of requests arrive, so it is stable only after
 * the second time.
 */
const WARM_UPS = 2;

export type Versions = Readonly<Record<Version['name'], Version>>;

export interface PairOptions {
  readonly folder: string;
  readonly signal: AbortSignal;
  /** The version that is started first; by default the earlier one. */
  readonly first?: keyof Versions;
  /** How often each kind of request is warmed up, by default once. */
  readonly warmUps?: number;
  /** Called before a pair is measured. */
  readonly onStarted?: (pair: Pair) => Promise<void>;
}

/** Measures the ratio of each kind of request's CPU time now to that before, in a number of pairs of new processes. */
export async function measurePairs(
  cells: readonly QuickCell[],
  pairs: number,
  versions: Versions,
  { tell, ...options }: PairOptions & { readonly tell: (what: string) => void },
): Promise<readonly PairRow[]> {
  const rows = cells.map((cell) => ({ cell, costs: new Array<Costs>() }));
  for (let pair = 0; pair < pairs; pair += 1) {
    const first = pair % 2 === 0 ? 'before' : 'now';
    const given = { ...options, first, warmUps: WARM_UPS } as const;
    const found = await measurePair(cells, ROUNDS, versions, given);
    for (const { cell, costs } of rows) {
      const rounds = found.get(cell) ?? [];
      // The median ignores a round that the machine disturbed.
      const middle = (of: keyof Costs) => median(rounds.map((each) => each[of])) ?? Number.NaN;
      costs.push({ gateway: middle('gateway'), all: middle('all') });
    }
    const told = rows.map(
      ({ cell, costs }) => `${titleOf(cell)} ${costs.at(-1)?.gateway.toFixed(3)}`,
    );
    tell(`pair ${pair + 1} of ${pairs}: ${told.join(', ')}`);
  }
  return rows;
}

/**
 * Starts a process of each version, and measures them side by side with each cell, once per round.
 *
 * @throws CommandFailure if more than half of the rounds of a cell have errors
 */
export async function measurePair(
  cells: Iterable<QuickCell>,
  rounds: number,
  { now, before }: Versions,
  { folder, signal, first = 'before', warmUps = 1, onStarted }: PairOptions,
): Promise<ReadonlyMap<QuickCell, readonly Costs[]>> {
  await using stack = new AsyncDisposableStack();
  const start = (version: Version) => startVersion(version, folder, stack, signal);
  const pair =
    first === 'before'
      ? { before: await start(before), now: await start(now) }
      : { now: await start(now), before: await start(before) };
  await onStarted?.(pair);
  const found = new Map(Array.from(cells, (cell) => [cell, new Array<Costs>()] as const));
  for (let time = 0; time < warmUps; time += 1) {
    for (const cell of found.keys()) await warmUpPair(cell, pair, signal);
  }
  for (let round = 0; round < rounds; round += 1) {
    for (const [cell, costs] of found) {
      const ratio = await ratioOf(cell, pair, round, signal);
      if (ratio !== undefined) costs.push(ratio);
    }
  }
  for (const [cell, { length }] of found) {
    if (length < rounds / 2) throw new CommandFailure(1, `${titleOf(cell)} returned errors`);
  }
  return found;
}
