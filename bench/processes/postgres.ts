import { EMBEDDED } from '../../test/support/store-database.ts';
import { join } from 'node:path';
import { Client } from 'pg';
import { joinEmbeddedPostgres } from '@store-gateway/local';
import { recordedServer } from '../../packages/local/src/embedded/server.ts';
import { SPARE } from '../load/calls.ts';
import { runPackageScript } from './command.ts';

/** The product's embedded PostgreSQL, in its own folder. Disposing of it stops it. */
export interface Postgres extends AsyncDisposable {
  /** Its process id. */
  readonly processId: number;
  readonly version: string;
  /** Creates a database with a number of animals; a copy of the gateway creates its own. */
  readonly createStore: (pets: number, signal: AbortSignal, copy?: Copy) => Promise<Store>;
}

/** A database of the gateway. Disposing of it ends this process's connection. */
export interface Store extends AsyncDisposable {
  readonly url: string;
  readonly pets: number;
  /** Adds the missing spare animals; resolves to their number. */
  readonly addSpare: () => Promise<number>;
  /** Removes the animals that were added after the store was filled; resolves to their number. */
  readonly removeCreated: () => Promise<number>;
}

/** A copy of the gateway, in its own folder. */
interface Copy {
  readonly name: string;
  readonly root: string;
}

/** The only setting that differs from the product's. Ten servers with a pool each need more connections. */
const MAX_CONNECTIONS = 300;

export async function startPostgres(folder: string): Promise<Postgres> {
  const first = await joinEmbeddedPostgres(folder, EMBEDDED);
  try {
    await using client = await connect(first.url);
    await client.query(`ALTER SYSTEM SET max_connections = ${MAX_CONNECTIONS}`);
  } finally {
    // The last process to leave stops it; the next start reads the setting.
    await first.leave();
  }
  const { url, leave } = await joinEmbeddedPostgres(folder, EMBEDDED);
  const processId = await recordedServer(join(folder, 'postgres', 'cluster'));
  if (processId === undefined) throw new Error('PostgreSQL is not running');
  const client = await connect(url);
  const { rows } = await client.query<{ server_version: string }>('SHOW server_version');
  return {
    processId,
    version: rows[0]?.server_version ?? '',
    createStore: async (pets, signal, copy) => {
      const name = copy === undefined ? `store_${pets}` : `store_${copy.name}`;
      await client.query(`CREATE DATABASE ${name}`);
      const address = new URL(url);
      address.pathname = name;
      return openStore(address.href, pets, signal, copy?.root);
    },
    [Symbol.asyncDispose]: async () => {
      await client.end();
      await leave();
    },
  };
}

/** Fills an empty database of the gateway with a number of animals. */
export async function openStore(
  url: string,
  pets: number,
  signal: AbortSignal,
  root?: string,
): Promise<Store> {
  const env = { DATABASE_URL: url };
  await runPackageScript('seed', [String(pets)], env, signal, root);
  const client = await connect(url);
  await client.query('VACUUM ANALYZE pets');
  const { rows } = await client.query<{ fits: boolean }>(
    'SELECT count(*) = $1 AND min(id) = 1 AND max(id) = $1 AS fits FROM pets',
    [pets],
  );
  if (rows[0]?.fits !== true) throw new Error(`the ids of the animals are not 1 to ${pets}`);
  return {
    url,
    pets,
    addSpare: () => addSpare(client, pets),
    removeCreated: () => removeCreated(client, 'pets', pets),
    [Symbol.asyncDispose]: () => client.end(),
  };
}

async function addSpare(client: Client, pets: number): Promise<number> {
  const { rowCount } = await client.query(
    `INSERT INTO pets (id, name, category_id, status)
     SELECT id, 'Animal ' || id, 1 + id % 5, 'available' FROM generate_series($1::bigint + 1, $1 + $2) AS id
     ON CONFLICT (id) DO NOTHING`,
    [pets, SPARE],
  );
  await client.query('VACUUM ANALYZE pets');
  return rowCount ?? 0;
}

/** Removes the rows with ids above `last`; resolves to their number. */
export async function removeCreated(client: Client, table: string, last: number): Promise<number> {
  const { rowCount } = await client.query(`DELETE FROM ${table} WHERE id > $1`, [last]);
  if (rowCount !== null && rowCount > 0) await client.query(`VACUUM ANALYZE ${table}`);
  return rowCount ?? 0;
}

export async function connect(url: string): Promise<Client & AsyncDisposable> {
  const client = new Client({ connectionString: url });
  await client.connect();
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
}
