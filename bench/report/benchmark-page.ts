import { LIMITS } from '../competitors.ts';
import { verdicts } from '../figures/targets.ts';
import type { Results } from '../measure-all.ts';
import { resultsPage } from './page.ts';
import { summary } from './report.ts';
import { missedTargets } from './targets-table.ts';

/** The page and its picture, relative to the repository. */
export const PAGE = 'docs/results/benchmark.md';
export const PICTURE = 'docs/results/benchmark.svg';

const LEGEND = `In the table, \`7.20 ≥ 7\` meets a target and \`5.90 < 7\` misses it. A row with a server's name divides the gateway's
requests per second by that server's.

- **hot:** the first 20 available animals; all clients send the same request
- **mixed:** a page with a random status and 1 to 100 animals, after a random id
- **get:** one animal by a random id
- **create:** a new animal, committed before the response
`;

const METHOD = `## How it is measured

- **Database:** the embedded PostgreSQL with the gateway's settings, \`fsync\` included, over its Unix socket, with 100,000
  animals.
- **The gateway** runs as shipped, with API keys, limits, and a log line per request, written to a file; its rate limit
  counts, but rejects nothing. **The peers** (\`bench/peers\`) run with \`NODE_ENV=production\`, without any of these, and must
  return the same animals.
- **Load:** wrk on the same machine, with requests generated in advance, on connections opened beforehand.
- **Rounds:** after a warm-up in which each response is checked, a server is measured for 2 s, or 9 s at 256 connections,
  right next to the servers it is compared with. Ratios are medians of five rounds, or of three for growth and for 1 and 256
  connections, where only the fastest peer of each API is measured.
- **Start** is measured with existing data, from process start to the first 200.

## Fairness

wrk, the servers and PostgreSQL share the same cores, so a server that makes PostgreSQL do less work has more CPU time for itself. In
production, it has that advantage only on a shared machine. The workload "hot" favours the gateway, because all clients request the same
list at the same time; "mixed" and "get" show what remains when no two requests are the same. The gateway serves both APIs from one
process, and both are under load before its memory is measured; each peer has one API.

Shared machines are up to twice as fast in one minute as in the next. So each group of cells is measured between two
calibrations (a node:http server with a constant body, and a loop on the CPU), and again, up to twice, if one of them deviates by more
than 10 %.
`;

/** Returns the text of docs/results/benchmark.md. */
export function benchmarkPage(results: Results): string {
  const missed = missedTargets(verdicts(results, LIMITS)).trim();
  return resultsPage({
    title: 'Benchmark results',
    introduction: `For developers who compare stacks: the results of the benchmark behind [Performance](../performance.md), and how they were measured.
**${missed}** \`npm run bench\` writes this page.`,
    picture: { file: 'benchmark.svg', title: 'Requests per second of each server, by workload' },
    results: `${LEGEND}\n${summary(results)}\n${METHOD}`,
  });
}
