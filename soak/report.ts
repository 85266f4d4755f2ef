import { median } from '../bench/figures/medians.ts';
import { count, milliseconds } from '../bench/report/format.ts';
import { markdownTable } from '../bench/report/markdown-table.ts';
import type { Figures } from './figures.ts';
import type { Recovery } from './recovery.ts';
import type { Outcome } from './request.ts';
import type { Results } from './soak.ts';

/** A run's results in Markdown, for a terminal and for docs/reliability.md. */
export function report(results: Results): string {
  return [
    surroundings(results),
    `### Bookkeeping\n\n${bookkeeping(results)}`,
    `### Requests\n\n${requestsTable(results.figures)}`,
    `### Faults\n\n${faultsTable(results.recoveries)}`,
    `### Over time\n\n${timeTable(results)}`,
    ...(results.wrong.length === 0 ? [] : [`### Wrong\n\n${list(results.wrong)}`]),
  ].join('\n');
}

function surroundings({ machine, minutes, rate, isEmbedded }: Results): string {
  const { date, commit, cores, processor, memory, kernel, node, postgres } = machine;
  return `${date}, commit ${commit}. ${cores} cores (${processor}), ${memory} GiB of memory, Linux ${kernel}, Node ${node},
PostgreSQL ${postgres}${isEmbedded ? ', embedded' : ''}. ${minutes} minutes at ${count(rate)} requests per second.
`;
}

function bookkeeping({ creates, faults }: Results): string {
  const { additions, requests, acknowledged } = creates;
  const verdict =
    faults.length === 0
      ? 'Each of them is in the database exactly once, with the id that its client was told, and nothing else is.\n'
      : `${count(faults.length)} are not right:\n\n${list(faults.slice(0, 20))}`;
  return `${count(additions)} animals were asked for in ${count(requests)} requests, and ${count(acknowledged)} were acknowledged.\n${verdict}`;
}

const OUTCOMES: Readonly<Record<Outcome, string>> = {
  good: 'done',
  unavailable: '503 with Retry-After, within 2 s',
  unanswered: 'not answered: no process was there, or it was killed',
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
    const away = own.map(({ at, mended }) => (mended - at) * 1000);
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
  const header = ['fault', 'times', 'away ms', 'at most', 'back after ms', 'at most', 'not done'];
  return markdownTable(header, rows, 'lrrrrrr');
}

/** Tenths of the run, each by its medians and its worst. */
function timeTable({ figures: all, minutes }: Results): string {
  // What came in afterwards, of what had been sent before, is no time of its own.
  const figures = all.filter(({ at }) => at < minutes * 60);
  const tenth = Math.max(1, Math.ceil(figures.length / 10));
  const rows = Array.from({ length: Math.ceil(figures.length / tenth) }, (_, index) => {
    const own = figures.slice(index * tenth, (index + 1) * tenth);
    const most = (of: (figure: Figures) => number | undefined) =>
      Math.max(0, ...own.map(of).filter((value) => value !== undefined));
    return [
      `${((own[0]?.at ?? 0) / 60).toFixed(minutes < 20 ? 1 : 0)} min`,
      milliseconds(median(own.map(({ p50 }) => p50))),
      milliseconds(median(own.map(({ p99 }) => p99))),
      milliseconds(most(({ slowest }) => slowest)),
      count(most(({ rss }) => rss)),
      milliseconds(most(({ eventLoopDelay }) => eventLoopDelay)),
    ];
  });
  const header = ['from', 'p50 ms', 'p99 ms', 'slowest ms', 'RSS MiB', 'event loop ms'];
  return markdownTable(header, rows, 'lrrrrr');
}

function list(lines: readonly string[]): string {
  return lines.map((line) => `- ${line}\n`).join('');
}
