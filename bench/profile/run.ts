import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { needsSpare } from '../load/calls.ts';
import { measure } from '../load/wrk.ts';
import { warmUpGroups } from '../measure-rounds.ts';
import { SINGLE_WORKLOADS } from '../plan.ts';
import { startGatewayStore } from '../processes/gateway-store.ts';
import { cpuOf } from '../processes/usage.ts';
import { markdownTable } from '../report/markdown-table.ts';
import { runRoundsCommand } from '../rounds-command.ts';
import { LAYERS } from './layers.ts';
import { NODE_OPTIONS, record, countByLayer } from './perf.ts';

const HELP = `Measures where the CPU time of a request goes, with perf, and prints a table: microseconds of each layer.

  npm run --silent profile --prefix bench

It profiles each workload of both APIs at 32 connections, and needs Debian's packages wrk and linux-perf.
`;

const SERVER = 'gateway';
const CELLS = (['rest', 'graphql'] as const).flatMap((surface) =>
  SINGLE_WORKLOADS.map((workload) => ({ server: SERVER, surface, workload, connections: 32 })),
);

interface Profile {
  /** CPU time. */
  seconds: number;
  requests: number;
  readonly samples: Map<string, number>;
}

/** How often each workload is warmed up, so that code is compiled for all workloads before the first is profiled. */
const WARM_UPS = 3;

await runRoundsCommand({
  name: 'profile',
  help: HELP,
  measure: async ({ rounds, seconds, progress, signal }, folder, stack) => {
    progress.tell('starting the gateway');
    const { postgres, startGateway } = await startGatewayStore(folder, stack, signal);
    const file = 'bench/profile/program.ts';
    const subject = await startGateway({ name: SERVER, file, env: { NODE_OPTIONS } });
    const { server, store, key } = subject;
    stack.defer(() => rm(`/tmp/perf-${server.processId}.map`, { force: true }));
    const session = { postgres, subjects: new Map([[SERVER, subject]]) };
    const groups = Array.from({ length: WARM_UPS }, () => CELLS);
    for (const group of groups) await warmUpGroups([group], session, { progress, signal });

    const profiles = CELLS.map((): Profile => ({ seconds: 0, requests: 0, samples: new Map() }));
    for (let round = 0; round < rounds; round += 1) {
      for (const [index, { surface, workload, connections }] of CELLS.entries()) {
        const profile = profiles[index];
        if (profile === undefined) continue;
        progress.tell(`round ${round + 1} of ${rounds}: ${surface}/${workload}`);
        await server.renew();
        if (needsSpare(workload)) await store.addSpare();
        const requests = await subject.requestFile(surface, workload);
        const recording = join(folder, 'perf.data');
        await record(server.processId, recording, async () => {
          const before = await cpuOf(server.processId);
          const load = { url: server.url, key, file: requests, connections, signal };
          profile.requests += (await measure(load, seconds)).requests;
          profile.seconds += (await cpuOf(server.processId)) - before;
        });
        await store.removeCreated();
        await countByLayer(recording, profile.samples);
      }
    }
    const columns = profiles.map(columnOf);
    const rows = ['**all, under perf**', ...LAYERS].map((title, row) =>
      [title].concat(columns.map((column) => column[row] ?? '')),
    );
    const header = ['µs of CPU per request', ...CELLS.map(titleOf)];
    return markdownTable(header, rows, 'l'.padEnd(header.length, 'r'));
  },
});

/** The microseconds per request in total, then in each layer. */
function columnOf({ seconds, requests, samples }: Profile): readonly string[] {
  const total = [...samples.values()].reduce((sum, count) => sum + count, 0);
  const cost = (seconds * 1e6) / requests;
  const costs = LAYERS.map((layer) => (cost * (samples.get(layer) ?? 0)) / Math.max(1, total));
  return [cost, ...costs].map((each) => each.toFixed(1));
}

function titleOf({ surface, workload }: (typeof CELLS)[number]): string {
  return `${surface === 'rest' ? 'REST' : 'GraphQL'} ${workload}`;
}
