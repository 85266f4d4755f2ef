import { assert, asyncProperty } from 'fast-check';
import { expect, test } from 'vitest';
import { answeredByReplicas } from '../support/measured.ts';
import { keptForFile } from '../support/clean-up.ts';
import { environmentOf, type Mutation } from '../support/changed-sources.ts';
import {
  insertOf,
  proxyTo,
  disturbReplicas,
  pauseReplay,
  resumeReplay,
  isStreaming,
  startReplicatedPostgres,
} from '../support/replicated-postgres.ts';
import { startService, type Service } from '../support/service.ts';
import { startStoreGateways, schedules } from '../support/store-schedule.ts';
import { WRONG_ANIMAL } from '../support/wrong-gateways.ts';
import { firstFaults } from './support/detection.ts';

const RUNS = 40;

const { primary, replicas: servers } = keptForFile(await startReplicatedPostgres({ replicas: 3 }));
const replicas = await Promise.all(
  servers.map(async (server) => ({ server, proxy: await proxyTo(server.url) })),
);
/** The first test promotes the third replica. */
const DATABASE_REPLICA_URLS = replicas.map(({ proxy }) => proxy.url).join(' ');

/** Starts gateways in separate processes, with the same fault in each, if any. */
async function startProcesses(mutation?: Mutation) {
  const services: Service[] = [];
  const gateways = await startStoreGateways(async (DATABASE_URL) => {
    const service = await startService({
      DATABASE_URL,
      DATABASE_REPLICA_URLS,
      METRICS_PORT: '0',
      ...(mutation && environmentOf(mutation)),
    });
    services.push(service);
    return service;
  }, primary.url);
  return { ...gateways, services };
}

test('a read sees every write already acknowledged, even while replicas lag, are cut off, killed and promoted', async () => {
  const [killed, promoted] = [replicas[1], replicas[2]];
  if (killed === undefined || promoted === undefined) throw new Error('there are three');
  const gateways = await startProcesses();
  let checked = 0;
  let runs = 0;
  const property = asyncProperty(schedules, async (schedule) => {
    runs += 1;
    if (runs === RUNS / 4) await killed.server.stop('SIGKILL');
    if (runs === RUNS / 2) await killed.server.start();
    if (runs === (RUNS * 3) / 4) {
      await promoted.server.ask('SELECT pg_wal_replay_resume(), pg_promote()');
      await promoted.server.ask(insertOf('of another primary'));
    }
    // Gateways skip disturbed replicas most of the time, so each run starts with replicas that answer.
    await replicasAnswer(gateways);
    await using stack = new AsyncDisposableStack();
    stack.use(disturbReplicas(replicas));
    const { faults, checks } = await gateways.run(schedule);
    expect(faults).toEqual([]);
    checked += checks;
  });
  await assert(property, { numRuns: RUNS });
  expect(checked).toBeGreaterThan(500);
  const answered = await Promise.all(gateways.services.map(answeredByReplicas));
  expect(Math.min(...answered)).toBeGreaterThan(20);
  await isStreaming(killed.server);
});

/** Resolves when replicas answer reads from every gateway. A gateway skips replicas for a while after a pause. */
async function replicasAnswer({ services, readOnce }: Awaited<ReturnType<typeof startProcesses>>) {
  const answered = () => Promise.all(services.map(answeredByReplicas));
  await expect
    .poll(async () => {
      const before = await answered();
      await readOnce();
      return (await answered()).every((count, index) => count > (before[index] ?? 0));
    })
    .toBe(true);
}

/** Ways to break reads from replicas. */
const MUTATIONS: readonly (Mutation & { readonly what: string })[] = [
  {
    what: 'that have not replayed every write',
    file: 'packages/postgres/src/replicas/read-at.ts',
    text: 'pg_last_wal_replay_lsn() >= $1::pg_lsn',
    replacement: '$1::pg_lsn IS NOT NULL',
  },
  {
    what: 'at a position that was requested before the read',
    file: 'packages/postgres/src/replicas/read-at.ts',
    text: 'return () => ask(undefined);',
    replacement: `let shared: Promise<ReadIndex> | undefined;
      return () => (shared ??= ask(undefined).finally(() => { shared = undefined; }));`,
  },
];

test.each(MUTATIONS)(
  'the linearizability property detects reads from replicas $what',
  async (mutation) => {
    const gateways = await startProcesses(mutation);
    const found = await firstFaults(async (schedule) => {
      await resumeReplay(replicas);
      await replicasAnswer(gateways);
      // The replicas lack the next creates, and the gateways have just used these replicas.
      return gateways.run(schedule, () => pauseReplay(replicas));
    });
    expect(found).not.toEqual([]);
    // No other fault was found.
    expect(found.filter((fault) => !WRONG_ANIMAL.test(fault))).toEqual([]);
  },
);
