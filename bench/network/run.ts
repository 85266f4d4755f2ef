import { median } from '../figures/medians.ts';
import type { Sample } from '../figures/sample.ts';
import { checkAll } from '../measure-all.ts';
import { measureGroup, warmUpGroups } from '../measure-rounds.ts';
import { installPeers } from '../peers/install.ts';
import { OURS } from '../plan.ts';
import { bundle } from '../processes/bundle.ts';
import { connect } from '../processes/postgres.ts';
import { startSession } from '../processes/session.ts';
import { ROOT } from '../root.ts';
import { runRoundsCommand } from '../rounds-command.ts';
import { type Distance, distancesOf } from './cells.ts';
import { startDelayingProxy } from './delaying-proxy.ts';
import { tableOf } from './table.ts';

const HELP = `Measures the gateway and peers with a network before PostgreSQL, whose round trip takes 0.5 or 2 ms, and prints a table.

  npm run --silent network --prefix bench -- --only '^2/(ours|fastify-pg)/rest/get/32'

The network is a proxy in this process, which keeps what either side sends for half of that time: netem needs root, and a
kernel that has it. The proxy shares the machine's cores, and takes the more of them the more messages a server sends.
`;

await runRoundsCommand({
  name: 'network',
  help: HELP,
  names: 'MS/SERVER/SURFACE/WORK/CONNECTIONS',
  measure: async (measuring, folder, stack, only) => {
    const { rounds, progress, signal } = measuring;
    const distances = distancesOf(only);
    const all = distances.flatMap(({ groups }) => groups);
    await installPeers(signal);
    await bundle(ROOT, signal);
    progress.tell('starting the servers');
    const proxy = stack.use(await startDelayingProxy());
    const names = new Set([OURS, ...all.flat().map(({ server }) => server)]);
    const session = await startSession(names, folder, stack, signal, proxy.through);
    await checkAll(all.flat(), session);
    await warmUpGroups(all, session, measuring);

    const url = session.subjects.get(OURS)?.store.url ?? '';
    const client = stack.use(await connect(proxy.through(url)));
    const measured = distances.map(unmeasured);
    progress.expect(all.flat().length * rounds);
    for (let round = 0; round < rounds; round += 1) {
      for (const { roundTrip, groups, samples, trips } of measured) {
        proxy.setRoundTrip(roundTrip);
        trips.push(await medianTime(() => client.query('')));
        for (const group of groups) {
          samples.push(...(await measureGroup(group, round, session, measuring)));
        }
      }
    }
    return tableOf(measured);
  },
});

function unmeasured({ roundTrip, groups }: Distance) {
  return { roundTrip, groups, samples: new Array<Sample>(), trips: new Array<number>() };
}

/** Milliseconds. */
async function medianTime(act: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let turn = 0; turn < 100; turn += 1) {
    const began = performance.now();
    await act();
    times.push(performance.now() - began);
  }
  return median(times) ?? 0;
}
