import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { PETS } from '../plan.ts';
import { runCommandFile } from './command.ts';
import { startPostgres } from './postgres.ts';

/** Starts PostgreSQL with a store for gateways: with an API key, and what tells a gateway to use it without limits. */
export async function startGatewayStore(
  folder: string,
  stack: AsyncDisposableStack,
  signal: AbortSignal,
) {
  const data = join(folder, 'data');
  await mkdir(data);
  const postgres = stack.use(await startPostgres(data));
  const store = stack.use(await postgres.createStore(PETS, signal));
  const env = { DATABASE_URL: store.url, RATE_LIMIT: '900000000/1s' };
  const key = await runCommandFile('src/commands/keys.ts', ['create', 'bench'], env, signal);
  return { postgres, store, env, key };
}
