import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { median } from '../figures/medians.ts';
import { requestLines } from '../load/requests.ts';
import { measure } from '../load/wrk.ts';
import type { Measuring } from '../measure-rounds.ts';
import { type Server, startServer } from '../processes/server.ts';
import { cpuOfEach, cpuWithoutChildren } from '../processes/usage.ts';
import { markdownTable } from '../report/markdown-table.ts';
import { runRoundsCommand } from '../rounds-command.ts';
import { WAYS } from './ways.ts';

const HELP = `Measures what it costs several processes to accept connections on one port, with node:http and a constant body, and
prints a table: microseconds of CPU per request, of all processes and of the supervisor among them, on kept connections and
with a connection for each request.

  npm run --silent accept --prefix bench -- --seconds 1
`;

const WORKERS = [1, 2, 8, 16];
/** Few, so that most workers are idle: each is woken up where they share a socket. */
const CONNECTIONS = 4;
const PATHS = ['keep', 'close'] as const;

await runRoundsCommand({ name: 'accept', help: HELP, measure: measureTable });

async function measureTable(measuring: Measuring, folder: string): Promise<string> {
  const { signal, progress } = measuring;
  for (const path of PATHS) {
    const line = requestLines([{ method: 'GET', path: `/${path}`, body: '' }]);
    await writeFile(join(folder, path), line);
  }
  const rows: string[][] = [];
  for (const workers of WORKERS) {
    for (const [way, title] of Object.entries(WAYS)) {
      progress.tell(`${workers} workers: ${title}`);
      const env = { WAY: way, WORKERS: String(workers) };
      const options = { name: `${way}-${workers}`, file: 'bench/accept/server.ts', env };
      await using server = await startServer({ ...options, folder, signal });
      const [kept, closed] = [
        await cpuOfRequests(server, 'keep', measuring, folder),
        await cpuOfRequests(server, 'close', measuring, folder),
      ];
      rows.push([
        String(workers),
        title,
        ...[kept.all, closed.all, closed.supervisor].map((each) => each.toFixed(0)),
      ]);
    }
  }
  const header = ['workers', 'who accepts', 'kept, µs', 'new, µs', 'of it the supervisor'];
  return markdownTable(header, rows, 'rlrrr');
}

/** CPU microseconds of a request, all processes together and the supervisor alone: medians. */
async function cpuOfRequests(
  server: Server,
  path: (typeof PATHS)[number],
  { rounds, seconds, signal }: Measuring,
  folder: string,
): Promise<{ all: number; supervisor: number }> {
  const { url, processId } = server;
  const file = join(folder, path);
  const load = { url, key: '', file, connections: CONNECTIONS, signal };
  const used = async () => {
    const [all] = await cpuOfEach([processId]);
    return { all: all?.seconds ?? 0, supervisor: await cpuWithoutChildren(processId) };
  };
  await measure(load, 1);
  const samples: { all: number; supervisor: number }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const begin = await used();
    const { requests } = await measure(load, seconds);
    const end = await used();
    const of = (name: keyof typeof end) => ((end[name] - begin[name]) * 1e6) / requests;
    samples.push({ all: of('all'), supervisor: of('supervisor') });
  }
  const middle = (name: 'all' | 'supervisor') => median(samples.map((each) => each[name])) ?? 0;
  return { all: middle('all'), supervisor: middle('supervisor') };
}
