import { readFile } from 'node:fs/promises';
import { Client } from 'pg';
import { startGateway } from '@store-gateway/gateway';
import { applyMigrations } from '@store-gateway/local/migrations';
import { gateway as library } from '../../examples/library/src/gateway.ts';
import { openDatabase } from '../../packages/gateway/src/database/client.ts';
import { migrationsOf } from '../../packages/gateway/src/database/tables.ts';
import type { Gateway } from '../../packages/gateway/src/definition.ts';
import { gateway as animals } from '../../src/gateway.ts';
import { createDatabase } from '../support/database.ts';
import { createKey, type KeyOptions } from '../support/keys.ts';

/** The options of each store's API keys, by name. */
const KEYS = new Map<string, KeyOptions>([
  ['unrestricted', {}],
  ['reading', { scopes: new Set(['read']) }],
  ['writing', { scopes: new Set(['write']) }],
  ['documents', { documentsOnly: true }],
  ['origin', { origins: ['https://shop.example'] }],
  ['expired', { expiresAt: new Date(0) }],
]);

/** A store whose responses are recorded. The folder with its name contains its rows and GraphQL documents. */
interface RecordedStore {
  readonly name: 'animals' | 'library';
  readonly gateway: Gateway;
}

export const STORES: readonly RecordedStore[] = [
  { name: 'animals', gateway: animals },
  { name: 'library', gateway: library },
];

/** A running store with its own database. */
export interface OpenStore extends AsyncDisposable {
  readonly url: string;
  readonly keys: ReadonlyMap<string, string>;
  /** GraphQL documents, each with its variables in a comment. */
  readonly documents: readonly string[];
  /** Restores the rows that the database had when the store was opened. */
  readonly restore: () => Promise<void>;
}

const ENVIRONMENT = {
  RATE_LIMIT: '9999999/60s',
  FAILED_AUTH_LIMIT: 'off',
  CORS_ORIGINS: 'https://shop.example',
};

/** Gives each row the same version in every recording. */
const FIX_VERSIONS = `UPDATE _gateway_secrets SET secret = decode(repeat('00', 32), 'hex')`;

/** @param day the date that this process's clock shows from now on */
export async function openStore(
  postgresUrl: string,
  { name, gateway }: RecordedStore,
  day: string,
): Promise<OpenStore> {
  Date.now = () => Date.parse(day);
  const read = (file: string) => readFile(new URL(`${name}/${file}`, import.meta.url), 'utf8');
  const databaseUrl = await createDatabase(postgresUrl);
  await applyMigrations(databaseUrl, migrationsOf(gateway));
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query((await read('rows.sql')) + FIX_VERSIONS);
  const database = openDatabase(gateway, databaseUrl);
  const keys = new Map<string, string>();
  for (const [key, options] of KEYS) {
    keys.set(key, (await createKey(database, options)).key);
  }
  await database.$disconnect();
  const restore = await keepRows(client);
  const started = await startGateway(gateway, { DATABASE_URL: databaseUrl, ...ENVIRONMENT });
  return {
    url: started.url,
    keys,
    documents: (await read('documents.txt')).trim().split('\n'),
    restore,
    [Symbol.asyncDispose]: async () => {
      await started[Symbol.asyncDispose]();
      await client.end();
    },
  };
}

/** Statements that copy all tables and restore them. Ids of new rows start at 1000. */
const STATEMENTS = `
  SELECT 'CREATE SCHEMA kept; '
      || string_agg(format('CREATE TABLE kept.%1$I AS TABLE %1$I', tablename), ';') AS keep,
    'SET session_replication_role = replica; SET synchronous_commit = off; '
      || string_agg(format('DELETE FROM %1$I; INSERT INTO %1$I OVERRIDING SYSTEM VALUE TABLE kept.%1$I',
        tablename), ';') AS restore,
    (SELECT string_agg(format('SELECT setval(%L, 1000, false)', sequencename), ';')
      FROM pg_sequences WHERE schemaname = 'public') AS count
  FROM pg_tables WHERE schemaname = 'public'`;

/** Copies all tables. The returned function restores them if anything was written since. */
async function keepRows(client: Client): Promise<OpenStore['restore']> {
  const { rows } = await client.query<Record<'keep' | 'restore' | 'count', string>>(STATEMENTS);
  const [{ keep, restore, count } = { keep: '', restore: '', count: '' }] = rows;
  await client.query(`${keep}; ${count}`);
  const lastTransaction = async () => {
    const last = await client.query('SELECT pg_snapshot_xmax(pg_current_snapshot())::text');
    return JSON.stringify(last.rows);
  };
  let restored = await lastTransaction();
  return async () => {
    if ((await lastTransaction()) !== restored) {
      await client.query(`${restore}; ${count}`);
      restored = await lastTransaction();
    }
  };
}
