import type {
  Gateway as GatewayOfStore,
  StartedGateway,
} from '../../packages/gateway/src/definition.ts';
import { fileURLToPath } from 'node:url';
import { buildSchema, type GraphQLSchema } from 'graphql';
import { inject } from 'vitest';
import { gateway as library } from '../../examples/library/src/gateway.ts';
import { gateway as animals } from '../../src/gateway.ts';
import { startGateway } from '@store-gateway/gateway';
import { onFileFinished } from './clean-up.ts';
import { createDatabase } from './database.ts';
import { requestOf, type Gateway } from './gateway.ts';
import { contractOf, type Contract } from './openapi.ts';
import { runEntry, type Run } from './process.ts';
import { resourcesOf, type Resource } from './resources.ts';
import { startPatientService, type Service } from './service.ts';

/** A store that is served, and what its contracts say of it. */
export interface ServedStore {
  readonly name: string;
  readonly gateway: Pick<
    GatewayOfStore,
    'title' | 'access' | 'serviceName' | 'metricsPrefix' | 'prisma'
  >;
  readonly env: NodeJS.ProcessEnv;
  readonly key: string;
  readonly request: Gateway['request'];
  readonly contract: Contract;
  readonly schema: GraphQLSchema;
  readonly resources: readonly Resource[];
}

/** One that runs as a process of its own. */
export interface StoreProcess extends ServedStore {
  readonly root: string;
  readonly service: Service;
}

interface StoreOfRepository extends Pick<ServedStore, 'name' | 'gateway'> {
  readonly folder: string;
  readonly start: (env: NodeJS.ProcessEnv) => Promise<Started>;
}

type Started = Pick<StartedGateway<object>, 'url' | 'createKey' | typeof Symbol.asyncDispose>;

/** Every store of this repository. */
export const STORES: readonly StoreOfRepository[] = [
  {
    name: animals.name,
    gateway: animals,
    folder: '../..',
    start: (env) => startGateway(animals, env),
  },
  {
    name: library.name,
    gateway: library,
    folder: '../../examples/library',
    start: (env) => startGateway(library, env),
  },
];

/** Serves a store in this process, by default on a new database, until the tests of the file are over. */
export async function serveStore(
  store: StoreOfRepository,
  databaseUrl?: string,
): Promise<ServedStore> {
  const env = { DATABASE_URL: databaseUrl ?? (await createDatabase(inject('postgresUrl'))) };
  const started = await store.start(env);
  onFileFinished(() => started[Symbol.asyncDispose]());
  return readStore(store, env, started.url, await started.createKey('test'));
}

/** Runs a store as a process of its own, by default on a new database, until the tests of the file are over. */
export async function runStore(
  store: StoreOfRepository,
  databaseUrl?: string,
): Promise<StoreProcess> {
  const root = fileURLToPath(new URL(store.folder, import.meta.url));
  const env = {
    DATABASE_URL: databaseUrl ?? (await createDatabase(inject('postgresUrl'))),
    METRICS_PORT: '0',
  };
  const service = await startStore({ root, env });
  const line = await service.child.line('stderr', (text) => text.includes('API_KEY='));
  const key = line.replace('  API_KEY=', '');
  return { ...(await readStore(store, env, service.url, key)), root, service };
}

async function readStore(
  { name, gateway }: StoreOfRepository,
  env: NodeJS.ProcessEnv,
  url: string,
  key: string,
): Promise<ServedStore> {
  const request = requestOf(url, key);
  const contract = contractOf((await request('/v1/openapi.json')).json);
  const schema = buildSchema((await request('/schema.graphql')).text);
  const resources = resourcesOf(contract);
  const checked = expectDocumented(request, contract);
  return { name, gateway, env, key, request: checked, contract, schema, resources };
}

/** Has requests fail that get a status which the contract doesn't have for their operation. */
function expectDocumented(
  request: Gateway['request'],
  { operations }: Contract,
): Gateway['request'] {
  return async (path, init) => {
    const answer = await request(path, init);
    const method = init?.method ?? 'GET';
    const operation = operations.find(
      (each) =>
        each.method === method &&
        new RegExp(`^${each.path.replaceAll(/\{\w+\}/g, '[^/?]+')}(?:[?]|$)`).test(path),
    );
    if (operation?.responses.has(answer.status) === false) {
      throw new Error(`${method} ${path}: undocumented ${answer.status}: ${answer.text}`);
    }
    return answer;
  };
}

/** Another process of a store, or one with other settings. */
export function startStore({ root, env }: Pick<StoreProcess, 'root' | 'env'>): Promise<Service> {
  return startPatientService(env, (run: Run) => runEntry('src/main.ts', { ...run, root }));
}
