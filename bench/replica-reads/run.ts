import { openDatabase } from '../../test/support/store-database.ts';
import { setTimeout } from 'node:timers/promises';
import { installRecorder } from '@store-gateway/telemetry/recorder';
import { replicasAt } from '../../packages/gateway/src/database/replicas.ts';
import { startReplicatedPostgres } from '../../test/support/replicated-postgres.ts';
import type { Measuring } from '../measure-rounds.ts';
import { runPackageScript } from '../processes/command.ts';
import { runRoundsCommand } from '../rounds-command.ts';
import { CELLS, PETS, REPLICA_COUNTS, type Sample } from './cells.ts';
import { measureCell } from './measure-cell.ts';
import { tableOf } from './table.ts';
import { startWriter } from './writer.ts';

const HELP = `Measures reads on a PostgreSQL with streaming replicas, and prints a table.

  npm run replica-reads --prefix bench -- --rounds 5

Batches of pages of 20 animals are asked for at the same rate, whatever answers: so a connection rests as long in between.
Meanwhile animals are added one after the other, if any. The primary and the replicas share this machine.
`;

const answered = { replica: 0, primary: 0 };
installRecorder({
  add: (name, value, labels) => {
    if (name !== 'replica_reads_total') return;
    answered[labels?.['answered_by'] === 'replica' ? 'replica' : 'primary'] += value;
  },
  record: () => undefined,
  observe: () => undefined,
});

await runRoundsCommand({ name: 'replica-reads', help: HELP, measure: measureTable });

async function measureTable(
  { rounds, seconds, progress, signal }: Measuring,
  _folder: string,
  stack: AsyncDisposableStack,
): Promise<string> {
  progress.tell('starting PostgreSQL and two replicas');
  const settings = { fsync: 'on', shared_buffers: '256MB' };
  const { primary, replicas } = stack.use(await startReplicatedPostgres({ replicas: 2, settings }));
  const env = { DATABASE_URL: primary.url };
  await runPackageScript('seed', [String(PETS)], env, signal);
  await primary.ask('VACUUM ANALYZE pets');
  const databases = REPLICA_COUNTS.map((count) => {
    const urls = replicas.slice(0, count).map(({ url }) => url);
    const options = count === 0 ? {} : { openReplicas: replicasAt(urls) };
    const database = openDatabase(primary.url, options);
    stack.defer(() => database.$disconnect());
    return { count, database };
  });
  await setTimeout(1000);
  const processIds = [primary, ...replicas].map((server) => server.processId() ?? 0);
  const samples: Sample[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    for (const cell of CELLS) {
      signal.throwIfAborted();
      const database = databases.find(({ count }) => count === cell.replicas)?.database;
      if (database === undefined) continue;
      await using meanwhile = new AsyncDisposableStack();
      meanwhile.use(await startWriter(primary.url, cell.creates));
      const measured = { database, answered: () => ({ ...answered }), processIds, seconds };
      const sample = await measureCell(cell, measured);
      samples.push(sample);
      progress.tell(`round ${round} ${JSON.stringify(sample)}`);
    }
  }
  return tableOf(samples);
}
