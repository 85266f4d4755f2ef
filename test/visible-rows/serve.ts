import { inject } from 'vitest';
import { codedError } from '@store-gateway/ops/errors';
import { bearerToken } from '@store-gateway/access';
import { listen, DEFAULT_TIMEOUTS } from '@store-gateway/http';
import { setLogger } from '@store-gateway/ops';
import { applyMigrations } from '@store-gateway/local/migrations';
import { createRateLimits } from '@store-gateway/http/limits';
import { createApp } from '../../packages/gateway/src/app/app.ts';
import { createDatabaseHealth } from '../../packages/gateway/src/commands/serve-requests.ts';
import { type Database, openDatabase } from '../../packages/gateway/src/database/client.ts';
import { migrationsOf } from '../../packages/gateway/src/database/tables.ts';
import { createGateway } from '../../packages/gateway/src/gateway.ts';
import { createStore } from '../../packages/gateway/src/store.ts';
import { onFileFinished } from '../support/clean-up.ts';
import { createDatabase } from '../support/database.ts';
import { WorldDatabase } from './database.ts';
import type { Design } from './design.ts';
import { models } from './generated/batched-models.ts';
import { PrismaClient } from './generated/client.ts';
import type { Leak } from './leaks.ts';
import { schemaOf, schemaToAsk } from './random-schema.ts';
import { routesOf } from './routes.ts';
import { CALLERS } from './rules.ts';

const OPTIONS = {
  publicUrl: undefined,
  corsOrigins: [],
  corsHeaders: [],
  oidcIssuer: undefined,
  oidcAudience: undefined,
  oidcClientId: undefined,
  graphqlIntrospection: true,
  trustedDocumentsOnly: false,
  trustedProxies: [],
  maximumOpenRequests: 1000,
  logSample: 1,
  // However slow the machine is.
  requestTimeout: 20_000,
};
const TIMEOUTS = { connection: 20_000, statement: 20_000 };

const gateway = createGateway({
  name: 'shelf-store',
  title: 'Shelves',
  description: 'notes in folders',
  version: '1.0.0',
  access: {
    keyPrefix: 'shelf_',
    authenticate: (request) => {
      const name = bearerToken(request.headers.authorization) ?? '';
      const index = CALLERS.findIndex((caller) => caller === name);
      if (index === -1) {
        throw codedError('UNAUTHENTICATED', 'Nobody');
      }
      const id = BigInt(index + 1);
      return Promise.resolve({ id, scopes: 'all' as const, claims: { name } });
    },
  },
  prisma: { Client: PrismaClient, models, migrations: new URL('./migrations/', import.meta.url) },
  load: () => Promise.reject(new Error('each design has an API of its own')),
});

/** The same, but that idempotency keys of all callers are the same. */
const oneForAll: typeof gateway = {
  ...gateway,
  access: {
    ...gateway.access,
    authenticate: async (request, byApiKey) => {
      const caller = await gateway.access.authenticate?.(request, byApiKey);
      return caller && { id: 1n, scopes: 'all', claims: caller.claims };
    },
  },
};

/** A database of the tables, of which gateways serve one design after the other. */
export interface Served {
  readonly tables: WorldDatabase;
  /** Serves a design at a URL until it is disposed of. */
  readonly serve: (design: Design, leak?: Leak) => Promise<AsyncDisposable & { url: string }>;
}

/** Until the tests of the file are over. */
export async function openServed(): Promise<Served> {
  setLogger(undefined);
  const databaseUrl = await createDatabase(inject('postgresUrl'));
  await applyMigrations(databaseUrl, migrationsOf(gateway));
  const tables = new WorldDatabase(databaseUrl);
  await tables.connect();
  const database = openDatabase(gateway, databaseUrl, {
    timeouts: TIMEOUTS,
    isSharded: inject('isSharded'),
  });
  onFileFinished(async () => {
    await database.$disconnect();
    await tables.end();
  });
  return { tables, serve: (design, leak) => serve(database, design, leak) };
}

async function serve(
  database: Database<PrismaClient>,
  design: Design,
  leak: Leak | undefined,
): Promise<AsyncDisposable & { url: string }> {
  const store = createStore(
    {
      schema: leak ? schemaOf(design, { leak, unrestricted: database }) : schemaToAsk(design),
      rest: {
        routes: routesOf(design),
        basePath: '/v1',
        info: { title: 'Shelves', version: '1.0.0' },
      },
    },
    models,
  );
  const deprecatedCalls = { count: () => undefined, flush: () => Promise.resolve() };
  const rateLimits = createRateLimits(
    database.$rateLimitCounts,
    { rateLimit: undefined, failedAuthLimit: undefined },
    () => performance.now(),
  );
  const { listener, surfaceOf } = createApp(
    leak === 'replays of others' ? oneForAll : gateway,
    store,
    { database, deprecatedCalls, now: Date.now, versionKey: 'the same in both databases' },
    { ...OPTIONS, rateLimits },
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
