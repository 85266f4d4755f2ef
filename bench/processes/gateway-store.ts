import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { PETS } from '../plan.ts';
import { runPackageScript } from './command.ts';
import { startPostgres, type Postgres, type Store } from './postgres.ts';
import { startServer, type ServerOptions } from './server.ts';
import { requestsFor, type Subject } from './session.ts';

/** PostgreSQL with a store, on which gateways can be started. */
export interface GatewayStore {
  readonly postgres: Postgres;
  /** Starts a gateway on the store, without limits. */
  readonly startGateway: (
    options: Pick<ServerOptions, 'name' | 'root'> & Partial<Pick<ServerOptions, 'file' | 'env'>>,
  ) => Promise<Subject>;
}

/** Starts PostgreSQL with a store for gateways. The stack stops everything that is started. */
export async function startGatewayStore(
  folder: string,
  stack: AsyncDisposableStack,
  signal: AbortSignal,
): Promise<GatewayStore> {
  const data = join(folder, 'data');
  await mkdir(data);
  const postgres = stack.use(await startPostgres(data));
  const store = stack.use(await postgres.createStore(PETS, signal));
  return { postgres, startGateway: await gatewaysOn(store, folder, stack, signal) };
}

/** Creates an API key in a store, and returns a function that starts gateways on the store. The stack stops the gateways. */
export async function gatewaysOn(
  store: Store,
  folder: string,
  stack: AsyncDisposableStack,
  signal: AbortSignal,
): Promise<GatewayStore['startGateway']> {
  const env = { DATABASE_URL: store.url, RATE_LIMIT: '900000000/1s' };
  const key = await runPackageScript('keys', ['create', 'bench'], env, signal);
  return async ({ env: own, ...options }) => {
    const all = { file: 'src/main.ts', ...options, env: { ...env, ...own }, folder, signal };
    const server = stack.use(await startServer(all));
    return { server, store, key, constant: false, ...requestsFor(server.name, PETS, folder) };
  };
}
