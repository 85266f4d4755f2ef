import { median } from '../bench/figures/medians.ts';
import { count } from '../bench/report/format.ts';
import { type Figures, tenthsOf } from './figures.ts';
import { FULL_LENGTH } from './options.ts';
import type { Results } from './soak.ts';

/** Milliseconds after a repair from which every request must succeed again, as docs/reliability.md promises. */
const RECOVERY_LIMIT = 2000;

/**
 * Maximum ratio of the memory in the last tenth of a full-length run to that in the second. From one garbage collection to the
 * next, memory rises by half and falls again; medians of tenths differ by some 15 %.
 */
const MEMORY_LIMIT = 1.5;

/** Maximum number of wrong animals to report. */
const TOLD_MISFITS = 20;

/** The reasons why a run has failed, in words; empty if it has passed. */
export function failuresOf(results: Results): string[] {
  const late = results.recoveries.filter(({ recovery }) => recovery > RECOVERY_LIMIT);
  const growth = memoryGrowth(results) ?? 0;
  const hasGrown = results.minutes >= FULL_LENGTH && growth > MEMORY_LIMIT;
  return [
    ...late.map(
      ({ fault, at, recovery }) =>
        `${fault}, at ${count(at)} s: a request failed ${count(recovery)} ms after the repair, more than ${count(RECOVERY_LIMIT)}`,
    ),
    ...(hasGrown
      ? [`the memory of the last tenth is ${growth.toFixed(2)} times that of the second`]
      : []),
    ...results.inconsistencies.slice(0, TOLD_MISFITS),
    ...results.wrong,
  ];
}

/** The ratio of the last tenth's median RSS to that of the second; undefined for a run without both. */
export function memoryGrowth(results: Pick<Results, 'figures' | 'minutes'>): number | undefined {
  const tenths = tenthsOf(results);
  const first = tenths.length > 2 ? medianMemory(tenths[1] ?? []) : undefined;
  const last = medianMemory(tenths.at(-1) ?? []);
  return first === undefined || last === undefined ? undefined : last / first;
}

function medianMemory(figures: readonly Figures[]): number | undefined {
  return median(figures.map(({ rss }) => rss).filter((rss) => rss !== undefined));
}
