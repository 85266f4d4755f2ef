import { median } from '../bench/figures/medians.ts';
import { count, milliseconds, ratio } from '../bench/report/format.ts';
import { markdownTable } from '../bench/report/markdown-table.ts';
import { type Figures, tenthsOf } from './figures.ts';
import type { Outcome } from './outcome.ts';
import type { Recovery } from './recovery.ts';
import type { Results } from './soak.ts';
import { failuresOf, memoryGrowth } from './verdict.ts';

/** A run's results in Markdown, for a terminal. */
export function report(results: Results): string {
  return sections(results, timeTable(results));
}

/** A run's results for a page whose plot shows each tenth of the run. */
export function summary(results: Results): string {
  return sections(results, extremes(results));
}

function sections(results: Results, overTime: string): string {
  const failures = failuresOf(results);
  return [
    surroundings(results),
    `## Acknowledged creates\n\n${bookkeeping(results)}`,
    `## Requests\n\n${requestsTable(results.figures)}`,
    `## Faults\n\n${faultsTable(results.recoveries)}`,
    `## Over time\n\n${overTime}${growthOfMemory(results)}`,
    ...(failures.length === 0
      ? []
      : [`## Failed\n\n${failures.map((failure) => `- ${failure}\n`).join('')}`]),
  ].join('\n');
}

function surroundings({ machine, minutes, rate, isEmbedded }: Results): string {
  const { date, commit, cores, processor, memory, kernel, node, postgres } = machine;
  return `${date}, commit ${commit}. ${cores} cores (${processor}), ${memory} GiB of memory, Linux ${kernel}, Node ${node},
PostgreSQL ${postgres}${isEmbedded ? ', embedded' : ''}. ${minutes} minutes at ${count(rate)} requests per second.
`;
}

function bookkeeping({ creates, pets, inconsistencies }: Results): string {
  const { additions, requests, acknowledged } = creates;
  const verdict =
    inconsistencies.length === 0
      ? `Each of them is in the database exactly once, with the id that its client received. So are the ${count(pets)} earlier animals, and there
are no others.`
      : `${count(inconsistencies.length)} are wrong.`;
  return `Clients added ${count(additions)} animals with ${count(requests)} requests, and ${count(acknowledged)} were acknowledged.\n${verdict}\n`;
}

const OUTCOMES: Readonly<Record<Outcome, string>> = {
  good: 'succeeded',
  unavailable: '503 with Retry-After within 2 s',
  unanswered: 'no response: no process was running, or it was killed',
  wrong: 'anything else, or later than 2 s',
};

function requestsTable(figures: readonly Figures[]): string {
  const total = (of: (requests: Figures['requests']) => number) =>
    figures.reduce((sum, { requests }) => sum + of(requests), 0);
  const all = total(
    ({ good, unavailable, unanswered, wrong }) => good + unavailable + unanswered + wrong,
  );
  const rows = (['good', 'unavailable', 'unanswered', 'wrong'] as const).map((outcome) => {
    const requests = total((of) => of[outcome]);
    return [OUTCOMES[outcome], count(requests), `${((requests / all) * 100).toFixed(3)} %`];
  });
  return markdownTable(['requests', 'number', 'share'], rows, 'lrr');
}

function faultsTable(recoveries: readonly Recovery[]): string {
  const names = [...new Set(recoveries.map(({ fault }) => fault))];
  const rows = names.map((name) => {
    const own = recoveries.filter(({ fault }) => fault === name);
    const away = own.map(({ at, repaired }) => (repaired - at) * 1000);
    const back = own.map(({ recovery }) => recovery);
    return [
      name,
      count(own.length),
      milliseconds(median(away)),
      milliseconds(Math.max(...away)),
      milliseconds(median(back)),
      milliseconds(Math.max(...back)),
      count(own.reduce((sum, { refused }) => sum + refused, 0)),
    ];
  });
  const header = [
    'fault',
    'times',
    'repaired after ms',
    'at most',
    'recovered after ms',
    'at most',
    'failed',
  ];
  return markdownTable(header, rows, 'lrrrrrr');
}

/** A table of the run's tenths, each with its medians and its worst values. */
function timeTable(results: Results): string {
  const rows = tenths(results).map(({ at, p50, p99, slowest, rss, eventLoopDelay }) => [
    `${(at / 60).toFixed(results.minutes < 20 ? 1 : 0)} min`,
    milliseconds(p50),
    milliseconds(p99),
    milliseconds(slowest),
    count(rss),
    milliseconds(eventLoopDelay),
  ]);
  const header = ['from', 'p50 ms', 'p99 ms', 'slowest ms', 'RSS MiB', 'event loop ms'];
  return markdownTable(header, rows, 'lrrrrr');
}

function range(of: readonly number[]): string {
  return `${milliseconds(Math.min(...of))} to ${milliseconds(Math.max(...of))} ms`;
}

/** The range of the tenths' medians and the run's worst values, in sentences. */
function extremes(results: Results): string {
  const all = tenths(results);
  const p50 = range(all.map((tenth) => tenth.p50));
  const p99 = range(all.map((tenth) => tenth.p99));
  const slowest = milliseconds(Math.max(...all.map((tenth) => tenth.slowest)));
  const memory = count(Math.max(...all.map(({ rss }) => rss)));
  const delay = milliseconds(Math.max(...all.map(({ eventLoopDelay }) => eventLoopDelay)));
  return `In each tenth of the run, the median p50 was ${p50} and the median p99 ${p99}. The slowest response took ${slowest} ms.
Memory was ${memory} MiB at most, and the event loop was delayed by ${delay} ms at most.
`;
}

function tenths(results: Results) {
  return tenthsOf(results).map((own) => {
    const most = (of: (figure: Figures) => number | undefined) =>
      Math.max(0, ...own.map(of).filter((value) => value !== undefined));
    return {
      at: own[0]?.at ?? 0,
      p50: median(own.map(({ p50 }) => p50)) ?? 0,
      p99: median(own.map(({ p99 }) => p99)) ?? 0,
      slowest: most(({ slowest }) => slowest),
      rss: most(({ rss }) => rss),
      eventLoopDelay: most(({ eventLoopDelay }) => eventLoopDelay),
    };
  });
}

function growthOfMemory(results: Results): string {
  const growth = memoryGrowth(results);
  return growth === undefined
    ? ''
    : `\nThe median RSS of the last tenth is ${ratio(growth)} that of the second.\n`;
}
