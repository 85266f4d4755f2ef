import { Client } from 'pg';
import { inject } from 'vitest';
import { createKey } from '../../src/auth/key-records.ts';
import { openDatabase } from '../../src/database/client.ts';
import { createDatabase, TEMPLATE } from './database.ts';
import { startDatabaseProxy } from './database-proxy.ts';
import { ask } from './ask.ts';
import { environmentOf, type Mutation } from './mutation.ts';
import { runSchedule, type Outcome, type StoreGateway } from './run-schedule.ts';
import { startService } from './service.ts';
import { GATEWAYS, type Schedule } from './store-schedule.ts';

/** Several processes of the service on one database, each behind a proxy of its own. */
export interface StoreGateways extends AsyncDisposable {
  /** Runs a schedule on a store without animals. */
  readonly run: (schedule: Schedule) => Promise<Outcome>;
}

/** @param mutation what is broken in each of the processes */
export async function startStoreGateways(mutation?: Mutation): Promise<StoreGateways> {
  await using stack = new AsyncDisposableStack();
  const databaseUrl = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
  const database = openDatabase(databaseUrl);
  stack.defer(() => database.$disconnect());
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  stack.defer(() => client.end());
  const broken = mutation && environmentOf(mutation);
  const gateways: StoreGateway[] = [];
  // One after the other: together they would keep each other from starting in time.
  while (gateways.length < GATEWAYS) {
    const proxy = stack.use(await startDatabaseProxy(databaseUrl));
    const { url, child } = await startService({ DATABASE_URL: proxy.url, ...broken });
    stack.use(child);
    gateways.push({ url, proxy });
  }
  const owned = stack.move();
  return {
    run: async (schedule) => {
      await client.query('DELETE FROM pets');
      const { rows } = await client.query<{ id: string }>(
        "SELECT coalesce(pg_sequence_last_value('pets_id_seq'), 0) AS id",
      );
      // Known for 3 s, longer than a schedule takes: so the database is asked about animals alone.
      const key = await createKey(database, 'test', null);
      await Promise.all(gateways.map(({ url }) => ask(url, key, 'GET /v1/pets')));
      return runSchedule(schedule, gateways, { key, lastId: Number(rows[0]?.id) });
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
