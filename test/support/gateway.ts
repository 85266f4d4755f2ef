import { afterAll, inject } from 'vitest';
import { createApp, type AppOptions } from '../../src/app/app.ts';
import { listen } from '../../src/app/listen.ts';
import { createKey } from '../../src/auth/key-records.ts';
import { openDatabase, type Database } from '../../src/database/client.ts';
import type { World } from '../../src/context.ts';
import { log } from '../../src/log.ts';
import { createDeprecatedCalls, type DeprecatedCalls } from '../../src/usage/deprecated-calls.ts';
import { createDatabase, TEMPLATE } from './database.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The text as JSON; a number loses digits as in any JavaScript client. */
  readonly json: unknown;
}

export interface Gateway {
  readonly url: string;
  /** A valid API key. */
  readonly key: string;
  readonly database: Database;
  readonly databaseUrl: string;
  readonly deprecatedCalls: DeprecatedCalls;
  /** Sends a request with the key; `path` with a leading slash. */
  readonly request: (path: string, init?: RequestInit) => Promise<Answer>;
  /** Sends a POST with a JSON body and the key; text goes as it is. */
  readonly post: (path: string, body: unknown) => Promise<Answer>;
  readonly graphql: (query: string, variables?: object) => Promise<Answer>;
}

/** What readConfig makes of an empty environment. */
const DEFAULTS = { corsOrigins: [], graphqlIntrospection: true, trustedDocumentsOnly: false };

/** The whole service on a database of its own, until the tests of the file are over. */
export async function startGateway({
  now = Date.now,
  ...options
}: Partial<AppOptions> & Partial<Pick<World, 'now'>> = {}): Promise<Gateway> {
  log.level = 'silent';
  const databaseUrl = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
  const database = openDatabase(databaseUrl);
  const deprecatedCalls = createDeprecatedCalls(database);
  const world = { database, deprecatedCalls, now };
  const { url, close } = await listen(
    createApp(world, { ...DEFAULTS, ...options }),
    '127.0.0.1',
    0,
  );
  afterAll(async () => {
    await close();
    await deprecatedCalls.flush();
    await database.$disconnect();
  });
  const key = await createKey(database, 'test', null);

  const request: Gateway['request'] = async (path, init = {}) => {
    const headers = new Headers(init.headers);
    if (!headers.has('Authorization')) {
      headers.set('Authorization', `Bearer ${key}`);
    }
    return read(await fetch(url + path, { ...init, headers }));
  };
  const post: Gateway['post'] = (path, body) =>
    request(path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  return {
    url,
    key,
    database,
    databaseUrl,
    deprecatedCalls,
    request,
    post,
    graphql: (query, variables) => post('/graphql', { query, variables }),
  };
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
