import { inject } from 'vitest';
import { codedError } from '@store-gateway/ops/errors';
import { bearerToken } from '@store-gateway/access';
import { listen, DEFAULT_TIMEOUTS } from '@store-gateway/http';
import { setLogger } from '@store-gateway/ops';
import { applyMigrations } from '@store-gateway/local/migrations';
import { createRateLimits } from '@store-gateway/http/limits';
import { createApp } from '../../packages/gateway/src/app/app.ts';
import { createDatabaseHealth } from '../../packages/gateway/src/commands/serve-requests.ts';
import { readConfig } from '../../packages/gateway/src/config/config.ts';
import { type Database, openDatabase } from '../../packages/gateway/src/database/client.ts';
import { migrationsOf } from '../../packages/gateway/src/database/tables.ts';
import type { StoreApi } from '../../packages/gateway/src/definition.ts';
import { createGateway } from '../../packages/gateway/src/gateway.ts';
import { createStore } from '../../packages/gateway/src/store.ts';
import { onFileFinished } from '../support/clean-up.ts';
import { emptyDatabase } from '../support/new-database.ts';
import { CALLERS, keysOf, MISTAKES, type Design } from './design.ts';
import { models } from './generated/batched-models.ts';
import { PrismaClient } from './generated/client.ts';
import { routesOf } from './routes.ts';
import { schemaOf, type Leak } from './schema.ts';
import { WorldDatabase } from './world-database.ts';

/** Long enough for a slow machine. */
const PATIENCE_MS = 20_000;

/** All callers, by the token that they send. */
const NAMES = [...CALLERS, 'staff', 'nobody', ...keysOf(MISTAKES)];

const gateway = createGateway({
  name: 'shelf-store',
  title: 'Shelves',
  description: 'notes in folders',
  version: '1.0.0',
  access: {
    keyPrefix: 'shelf_',
    authenticate: (request) => {
      const name = bearerToken(request.headers.authorization) ?? '';
      const index = NAMES.findIndex((caller) => caller === name);
      if (index === -1) {
        throw codedError('UNAUTHENTICATED', 'Nobody');
      }
      const id = BigInt(index + 1);
      return Promise.resolve({ id, scopes: 'all' as const, claims: { name } });
    },
  },
  prisma: { Client: PrismaClient, models, migrations: new URL('./migrations/', import.meta.url) },
  load: () => Promise.reject(new Error('each design has its own API')),
});

/** Counts the notes with each database client that a store's own handlers may use. */
const mount: NonNullable<StoreApi<PrismaClient>['mount']> = (router, app) => {
  router.get('/mounted', async (request, response) => {
    const caller = await app.authenticate(request, response);
    const clients = [app.database, app.databaseOf(caller), app.unrestrictedDatabase];
    response.json(await Promise.all(clients.map(({ note }) => note.count())));
  });
};

/** A database with the tables, on which gateways serve one design after another. */
export interface Served {
  readonly tables: WorldDatabase;
  readonly database: Database<PrismaClient>;
  /** Serves a design at a URL until it is disposed of. */
  readonly serve: (design: Design, leak?: Leak) => Promise<AsyncDisposable & { url: string }>;
}

/** Opens a database until the file's tests are over. */
export async function openServed(): Promise<Served> {
  setLogger(undefined);
  const databaseUrl = await emptyDatabase();
  await applyMigrations(databaseUrl, migrationsOf(gateway));
  const tables = new WorldDatabase(databaseUrl);
  await tables.connect();
  const database = openDatabase(gateway, databaseUrl, {
    timeouts: { connection: PATIENCE_MS, statement: PATIENCE_MS },
    isSharded: inject('isSharded'),
  });
  onFileFinished(async () => {
    await database.$disconnect();
    await tables.end();
  });
  return { tables, database, serve: (design, leak) => serve(database, design, leak) };
}

async function serve(database: Database<PrismaClient>, design: Design, leak?: Leak) {
  const rest = { routes: routesOf(design), basePath: '/v1', info: { title: '', version: '1.0.0' } };
  const store = createStore({ schema: schemaOf(design, leak), rest, mount }, models);
  const deprecatedCalls = { count: () => undefined, flush: () => Promise.resolve() };
  const rateLimits = createRateLimits(
    database.$rateLimitCounts,
    { rateLimit: undefined, failedAuthLimit: undefined },
    () => performance.now(),
  );
  const { listener, surfaceOf } = createApp(
    gateway,
    store,
    { database, deprecatedCalls, now: Date.now, versionKey: 'the same in both databases' },
    { ...readConfig({}), rateLimits, requestTimeout: PATIENCE_MS },
    createDatabaseHealth(database),
  );
  const { url, close } = await listen(listener, {
    host: '127.0.0.1',
    port: 0,
    maximumConnections: 1000,
    timeouts: { ...DEFAULT_TIMEOUTS, idleAtShutdown: 1 },
    surfaceOf,
  });
  return { url, [Symbol.asyncDispose]: () => close() };
}
