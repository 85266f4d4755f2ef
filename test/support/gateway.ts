import type { Access, StoreApi, Services } from '../../packages/gateway/src/definition.ts';
import type { PrismaClient } from '../../prisma/generated/client.ts';
import { gateway as animals } from '../../src/gateway.ts';
import { openDatabase, PATIENT_TIMEOUTS } from './store-database.ts';
import { inject } from 'vitest';
import { type AppOptions, createApp } from '../../packages/gateway/src/app/app.ts';
import { createDatabaseHealth } from '../../packages/gateway/src/commands/serve-requests.ts';
import { DEFAULT_TIMEOUTS, listen } from '@store-gateway/http';
import type { Timeouts } from '../../packages/http/src/listen.ts';
import { openIdentityProvider } from '../../packages/gateway/src/auth/admission.ts';
import { createStore, loadStore } from '../../packages/gateway/src/store.ts';
import { createKey } from './keys.ts';
import { readConfig, type Config } from '../../packages/gateway/src/config/config.ts';
import { replicasAt } from '../../packages/gateway/src/database/client.ts';
import { REQUEST_TIMEOUTS, type DatabaseTimeouts } from '@store-gateway/postgres';
import { REQUEST_TIMEOUT_MS } from '@store-gateway/graphql/execution';
import { setLogger } from '@store-gateway/ops';
import { createRateLimits } from '@store-gateway/http/limits';
import { createDeprecatedCalls } from '../../packages/gateway/src/usage/deprecated-calls.ts';
import { onFileFinished } from './clean-up.ts';
import { openOwnTables, type OwnTables } from './own-tables.ts';
import { newDatabase } from './new-database.ts';

/** The animals' schema and routes, as they are served. */
export const store = await loadStore(animals);
export const { schema, rest } = store;

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed JSON; numbers lose digits as in any JavaScript client. */
  readonly json: unknown;
}

export type Gateway = Awaited<ReturnType<typeof startGateway>>;

/** The settings in an empty environment, except that tests may try any number of keys. */
const DEFAULTS = {
  ...readConfig({}),
  rateLimit: { quota: 60_000, windowSeconds: 60 },
  failedAuthLimit: undefined,
};

/** How long requests wait for the database, in milliseconds. */
interface GatewayTimeouts {
  readonly databaseTimeouts: DatabaseTimeouts;
  readonly requestTimeout: number;
}

/** For tests that do not concern time. */
export const PATIENT: GatewayTimeouts = {
  databaseTimeouts: PATIENT_TIMEOUTS,
  requestTimeout: 20_000,
};

/** For tests of requests to a database that does not respond. */
export const AS_IN_PRODUCTION: GatewayTimeouts = {
  databaseTimeouts: REQUEST_TIMEOUTS,
  requestTimeout: REQUEST_TIMEOUT_MS,
};

/** As in production, except that idle clients are not awaited when a gateway is closed. */
const TIMEOUTS: Timeouts = { ...DEFAULT_TIMEOUTS, idleAtShutdown: 1 };

/** The parts of the served store that replace the animals' own. */
interface ServedStore {
  readonly access?: Partial<Access>;
  readonly api?: Partial<StoreApi<PrismaClient>>;
}

export type GatewayOptions = ServedStore &
  Partial<Omit<AppOptions, 'rateLimits' | 'accessTokens'>> &
  Partial<GatewayTimeouts> &
  Partial<Pick<Config, 'rateLimit' | 'failedAuthLimit' | 'maximumConnections' | 'poolSize'>> & {
    readonly timeouts?: Partial<Timeouts>;
    /** Replaces both clocks, the wall clock and the monotonic one. */
    readonly now?: Services['now'];
    readonly replicaUrls?: readonly string[];
    readonly hasEarlierNames?: boolean;
    readonly databaseUrl?: string;
  };

/** Starts the whole service on a new or a given database, until the file's tests are over. */
export async function startGateway({
  now,
  databaseUrl: given,
  timeouts = {},
  replicaUrls = [],
  hasEarlierNames = false,
  access,
  api,
  ...options
}: GatewayOptions = {}) {
  setLogger(undefined);
  const databaseUrl = given ?? (await newDatabase());
  const settings = { ...DEFAULTS, ...PATIENT, ...options };
  const database = openDatabase(databaseUrl, {
    timeouts: settings.databaseTimeouts,
    poolSize: settings.poolSize,
    isSharded: inject('isSharded'),
    hasEarlierNames,
    openReplicas: replicaUrls.length === 0 ? undefined : replicasAt(replicaUrls),
  });
  const deprecatedCalls = createDeprecatedCalls(database);
  const versionKey = await database.$versionKey();
  const world = { database, deprecatedCalls, now: now ?? Date.now, versionKey };
  const rateLimits = createRateLimits(
    database.$rateLimitCounts,
    settings,
    now ?? (() => performance.now()),
  );
  const health = createDatabaseHealth(database);
  const servedAccess = { ...animals.access, ...access };
  const accessTokens = await openIdentityProvider(servedAccess, settings);
  const { listener, surfaceOf } = createApp(
    { ...animals, access: servedAccess },
    api === undefined
      ? store
      : createStore({ ...store, ...api }, animals.prisma.models, servedAccess.scopes),
    world,
    { ...settings, rateLimits, accessTokens },
    health,
  );
  const { url, close } = await listen(listener, {
    ...settings,
    host: '127.0.0.1',
    port: 0,
    timeouts: { ...TIMEOUTS, ...timeouts },
    surfaceOf,
  });
  onFileFinished(async () => {
    await close();
    accessTokens?.[Symbol.dispose]();
    await rateLimits.flush();
    await deprecatedCalls.flush();
    await database.$disconnect();
  });
  const { key } = await createKey(database);

  /** Sends requests with the key; paths have a leading slash. */
  const request = requestOf(url, key);
  const send = sendTo({ request });
  const post = (path: string, body: unknown, headers: Sent = {}): Promise<Answer> =>
    send('POST', path, body, headers);
  let tables: OwnTables | undefined;
  return {
    url,
    /** A valid API key. */
    key,
    database,
    /** The gateway's own tables. They are opened on first use, because their pools are measured, too. */
    get tables(): OwnTables {
      tables ??= openOwnTables(databaseUrl);
      return tables;
    },
    databaseUrl,
    deprecatedCalls,
    rateLimits,
    health,
    request,
    send,
    post,
    graphql: (query: string, variables?: object, headers: Sent = {}): Promise<Answer> =>
      post('/graphql', { query, variables }, headers),
  };
}

/** Returns a function that sends requests with a key, unless they have their own Authorization. */
export function requestOf(url: string, key: string) {
  return async (path: string, init: RequestInit = {}): Promise<Answer> => {
    const headers = new Headers(init.headers);
    if (!headers.has('Authorization')) {
      headers.set('Authorization', `Bearer ${key}`);
    }
    return read(await fetch(url + path, { ...init, headers }));
  };
}

type Sent = Readonly<Record<string, string>>;

/** Returns a function that sends bodies as JSON with all digits of bigints; strings are sent unchanged. */
export function sendTo({ request }: { readonly request: ReturnType<typeof requestOf> }) {
  return (method: string, path: string, body?: unknown, headers: Sent = {}): Promise<Answer> =>
    request(path, {
      method,
      ...(body !== undefined && {
        body: typeof body === 'string' ? body : JSON.stringify(body, exact),
      }),
      headers: { 'Content-Type': 'application/json', ...headers },
    });
}

function exact(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? JSON.rawJSON(String(value)) : value;
}

async function read(response: Response): Promise<Answer> {
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: response.headers.get('Content-Type')?.includes('json')
      ? JSON.parse(text || 'null')
      : null,
  };
}
