import { openDatabase } from './store-database.ts';
import { Client } from 'pg';
import { inject } from 'vitest';
import { createKey } from './keys.ts';
import { ask } from './ask.ts';
import { onFileFinished } from './clean-up.ts';
import { startDatabaseProxy } from './database-proxy.ts';
import { createDatabase, TEMPLATE } from './database.ts';
import { runSchedule, type StoreGateway } from './run-schedule.ts';
import type { Verdict } from './store-history/verdict.ts';
import { GATEWAYS, type Schedule } from './store-schedule.ts';

/** Several gateways on one database, each behind a proxy of its own. */
export interface StoreGateways {
  /** Reads by each gateway. */
  readonly readOnce: () => Promise<unknown>;
  /** Runs a schedule on a store without animals; `onHeld` is called in each round, once gateways are held. */
  readonly run: (schedule: Schedule, onHeld?: () => Promise<void>) => Promise<Verdict>;
}

/**
 * @param start starts one, in a process of its own or in this one, until the tests of the file are over
 * @param given a database of theirs, if not one of the tests' PostgreSQL
 */
export async function startStoreGateways(
  start: (databaseUrl: string) => Promise<Pick<StoreGateway, 'url'>>,
  given?: string,
): Promise<StoreGateways> {
  const databaseUrl =
    given ?? (await createDatabase(inject('postgresUrl'), { template: TEMPLATE }));
  const database = openDatabase(databaseUrl, { isSharded: inject('isSharded') });
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  onFileFinished(async () => {
    await client.end();
    await database.$disconnect();
  });
  const gateways: StoreGateway[] = [];
  // One after the other: together they would keep each other from starting in time.
  while (gateways.length < GATEWAYS) {
    const proxy = await startDatabaseProxy(databaseUrl);
    onFileFinished(() => proxy[Symbol.asyncDispose]());
    const { url } = await start(proxy.url);
    gateways.push({ url, proxy });
  }
  /** One read by each gateway, with a new key. */
  const readOnce = async (): Promise<string> => {
    const { key } = await createKey(database);
    await Promise.all(gateways.map(({ url }) => ask(url, key, 'GET /v1/pets')));
    return key;
  };
  return {
    readOnce,
    run: async (schedule, onHeld) => {
      await client.query('DELETE FROM pets');
      const { rows } = await client.query<{ id: string }>(
        "SELECT coalesce(pg_sequence_last_value('pets_id_seq'), 0) AS id",
      );
      // The keys are known for 3 s, longer than a schedule takes: so the database is asked about animals alone.
      const [key, probeKey] = await Promise.all([readOnce(), readOnce()]);
      return runSchedule(schedule, gateways, {
        key,
        probeKey,
        lastId: Number(rows[0]?.id),
        onHeld,
      });
    },
  };
}
