import { Client } from 'pg';
import { inject } from 'vitest';
import { onFileFinished } from './clean-up.ts';
import { createDatabase, TEMPLATE } from './database.ts';
import { startDatabaseProxy } from './database-proxy.ts';
import { PATIENT, startGateway } from './gateway.ts';

/** A gateway whose every request for what is stored waits for the whole of its time, and the names of the tables. */
export async function startStuckGateway() {
  const gateway = await startGateway({
    databaseTimeouts: { ...PATIENT.databaseTimeouts, statement: 2000 },
  });
  const lock = new Client(gateway.databaseUrl);
  await lock.connect();
  onFileFinished(() => lock.end());
  /** All but those that keys, limits and the like are kept in. */
  const stored = await lock.query<{ tables: string }>(`
    SELECT string_agg(quote_ident(tablename), ', ') AS tables FROM pg_tables
    WHERE schemaname = 'public' AND tablename NOT IN ('_prisma_migrations', '_gateway_migrations', '_gateway_api_keys',
      '_gateway_deprecated_calls', '_gateway_idempotency_keys', '_gateway_rate_limit_counts', '_gateway_trusted_documents')`);
  const tables = stored.rows[0]?.tables ?? '';
  await lock.query('BEGIN');
  await lock.query(`LOCK TABLE ${tables}`);
  return { gateway, tables };
}

/** A gateway whose database can't be reached any more. */
export async function startCutOffGateway() {
  const proxy = await startDatabaseProxy(
    await createDatabase(inject('postgresUrl'), { template: TEMPLATE }),
  );
  const gateway = await startGateway({ databaseUrl: proxy.url });
  await proxy[Symbol.asyncDispose]();
  return gateway;
}
