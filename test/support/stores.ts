import { fileURLToPath } from 'node:url';
import { buildSchema, type GraphQLSchema } from 'graphql';
import { inject } from 'vitest';
import { gateway as library } from '../../examples/library/src/gateway.ts';
import type { Gateway as GatewayOfStore } from '../../packages/gateway/src/gateway.ts';
import { gateway as animals } from '../../src/gateway.ts';
import { createDatabase } from './database.ts';
import { requestOf, type Gateway } from './gateway.ts';
import { contractOf, type Contract } from './openapi.ts';
import { runEntry, type Run } from './process.ts';
import { resourcesOf, type Resource } from './resources.ts';
import { startPatientService, type Service } from './service.ts';

/** A store that runs as a process of its own, and what its contracts say of it. */
export interface ServedStore {
  readonly name: string;
  readonly gateway: Pick<
    GatewayOfStore,
    'title' | 'access' | 'serviceName' | 'metricsPrefix' | 'prisma'
  >;
  readonly root: string;
  readonly env: NodeJS.ProcessEnv;
  readonly service: Service;
  readonly key: string;
  readonly request: Gateway['request'];
  readonly contract: Contract;
  readonly schema: GraphQLSchema;
  readonly resources: readonly Resource[];
}

/** Every store of this repository. */
export const STORES: readonly (Pick<ServedStore, 'name' | 'gateway'> & { folder: string })[] = [
  { name: animals.name, gateway: animals, folder: '../..' },
  { name: library.name, gateway: library, folder: '../../examples/library' },
];

/** Starts a store on an empty database, until the tests of the file are over. */
export async function serveStore({
  name,
  gateway,
  folder,
}: (typeof STORES)[number]): Promise<ServedStore> {
  const root = fileURLToPath(new URL(folder, import.meta.url));
  const env = { DATABASE_URL: await createDatabase(inject('postgresUrl')), METRICS_PORT: '0' };
  const service = await startStore({ root, env });
  const line = await service.child.line('stderr', (text) => text.includes('API_KEY='));
  const key = line.replace('  API_KEY=', '');
  const request = requestOf(service.url, key);
  const contract = contractOf((await request('/v1/openapi.json')).json);
  const schema = buildSchema((await request('/schema.graphql')).text);
  const resources = resourcesOf(contract);
  return { name, gateway, root, env, service, key, request, contract, schema, resources };
}

/** Another process of a store, or one with other settings. */
export function startStore({ root, env }: Pick<ServedStore, 'root' | 'env'>): Promise<Service> {
  return startPatientService(env, (run: Run) => runEntry('src/main.ts', { ...run, root }));
}
