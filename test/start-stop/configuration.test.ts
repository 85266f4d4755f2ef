import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  misspelledVariables,
  readConfig,
  type Config,
} from '../../packages/gateway/src/config/config.ts';
import { StartupFailure } from '@store-gateway/ops';
import { logOf, startService } from '../support/service.ts';

const wordsOf = (text: string) => text.trim().split(/\s+/);

interface Refusals {
  readonly name: string;
  readonly rule: string;
  readonly values: readonly string[];
  /** Valid list items before the rejected one. */
  readonly before?: string;
  readonly beside?: NodeJS.ProcessEnv;
}

const PORTS = ['65536', '-1', '1.5', ' 80', '80 ', '8e1', '0x50', '80\n'];
const COUNTS = ['0', '-1', '1.5', '1e3', '10000000', 'off'];
const REFUSED: readonly Refusals[] = [
  { name: 'PORT', rule: 'an integer between 0 and 65535', values: PORTS },
  { name: 'METRICS_PORT', rule: 'an integer between 0 and 65535', values: PORTS },
  { name: 'MAX_CONNECTIONS', rule: 'an integer between 1 and 9999999', values: COUNTS },
  { name: 'MAX_OPEN_REQUESTS', rule: 'an integer between 1 and 9999999', values: COUNTS },
  {
    name: 'POOL_SIZE',
    rule: 'an integer between 4 and 999',
    values: ['3', '0', '-4', '4.5', '1000', 'many', ' 12'],
  },
  {
    name: 'WORKERS',
    rule: 'an integer between 1 and 256, or auto',
    values: ['0', '257', '1.5', 'all', 'auto '],
  },
  ...['RATE_LIMIT', 'FAILED_AUTH_LIMIT'].map((name) => ({
    name,
    rule: 'a number of requests per number of seconds such as 60000/60s, or off',
    values: ['0/60s', '60/0s', '60', '60/60', '60/1m', '-1/60s', '1e3/60s', ' 60/60s', 'OFF'],
  })),
  {
    name: 'TRUSTED_PROXIES',
    rule: 'addresses such as 10.0.0.0/8, or loopback, linklocal or uniquelocal',
    before: 'loopback,',
    values: wordsOf('proxy.example * true 10.0.0.0/33 0.0.0.0/0 ::/129 10.0.0 [::1]'),
  },
  { name: 'HOST', rule: 'an address or a host name', values: ['a b'] },
  {
    name: 'LOG_LEVEL',
    rule: 'one of fatal, error, warn, info, debug, trace, silent',
    values: ['loud'],
  },
  { name: 'GRAPHQL_INTROSPECTION', rule: 'on or off', values: ['false'] },
  { name: 'GRAPHQL_TRUSTED_DOCUMENTS', rule: 'also or only', values: ['ONLY'] },
  { name: 'MIGRATE', rule: 'on or off', values: ['no'] },
  {
    name: 'CORS_ORIGINS',
    rule: 'origins such as https://shop.example, or * alone',
    before: 'https://other.example,',
    values: wordsOf(`
      shop.example https://shop.example/ https://shop.example/path HTTPS://shop.example
      https://user@shop.example https://shop.example:443 ftp://shop.example null https://*.example *`),
  },
  {
    name: 'CORS_HEADERS',
    rule: 'names of headers such as X-Tenant',
    before: 'X-Other,',
    values: ['*', 'X/Tenant', 'X-Tenant:', 'Ü'],
  },
  {
    name: 'PUBLIC_URL',
    rule: 'an http or https URL such as https://shop.example/store, without user, query or fragment',
    values: [
      ...wordsOf(`
        /store shop.example //shop.example ftp://shop.example https:shop.example https:// https://:80
        https://shop.example:99999 https://me@shop.example https://me:secret@shop.example
        https://@shop.example https://shop.example? https://shop.example/store?a=1
        https://shop.example/store# https://shop"example https://shop.example/"
        https://shop.example/<b> https://shop.example/%z`),
      'https://shop example',
      ' https://a',
    ],
  },
  {
    name: 'OIDC_ISSUER',
    rule: 'an https URL without user, query or fragment such as https://login.example/shop; http only for localhost',
    beside: { OIDC_AUDIENCE: 'shop' },
    values: [
      ...wordsOf(`
        login.example http://login.example http://localhost.example http://10.0.0.1
        http://127.0.0.1.example https:// https:login.example https://me@login.example
        https://login.example?realm=shop https://login.example#shop`),
      ' https://login.example',
    ],
  },
];

test.each(
  REFUSED.flatMap(({ values, ...row }) => values.map((value) => [row.name, value, row] as const)),
)('%s=%j is rejected', (name, value, { rule, before = '', beside }) => {
  expect(() => readConfig({ ...beside, [name]: before + value })).toThrow(
    new StartupFailure(`${name} must be ${rule}, not ${JSON.stringify(value)}`),
  );
});

const SHOP = 'https://shop.example';
const OIDC = { OIDC_AUDIENCE: 'shop', OIDC_CLIENT_ID: 'web' };
const DATABASE_URL = 'postgresql://h/db';
const REPLICAS = ['postgresql://u:a,b@h1/db', 'postgresql://h2/db?sslmode=disable'];

test.each<[NodeJS.ProcessEnv, Partial<Config>]>([
  [{ PORT: '0' }, { port: 0, metricsPort: undefined }],
  [{ PORT: '65535' }, { port: 65_535 }],
  [{ METRICS_PORT: '80' }, { port: 4000, metricsPort: 80 }],
  [
    { PORT: '0', METRICS_PORT: '0' },
    { port: 0, metricsPort: 0 },
  ],
  [{ POOL_SIZE: '4' }, { poolSize: 4 }],
  [{ POOL_SIZE: '999' }, { poolSize: 999 }],
  [{ WORKERS: '4' }, { workers: 4 }],
  [{ WORKERS: 'auto' }, { workers: availableParallelism() }],
  [{ RATE_LIMIT: '5/10s' }, { rateLimit: { quota: 5, windowSeconds: 10 } }],
  [{ RATE_LIMIT: 'off' }, { rateLimit: undefined }],
  [{ FAILED_AUTH_LIMIT: '5/10s' }, { failedAuthLimit: { quota: 5, windowSeconds: 10 } }],
  [{ FAILED_AUTH_LIMIT: 'off' }, { failedAuthLimit: undefined }],
  [
    { TRUSTED_PROXIES: 'loopback, uniquelocal,linklocal 192.0.2.1,10.0.0.0/8,2001:db8::/32,::1' },
    {
      trustedProxies: wordsOf(
        'loopback uniquelocal linklocal 192.0.2.1 10.0.0.0/8 2001:db8::/32 ::1',
      ),
    },
  ],
  [{ DATABASE_URL, DATABASE_REPLICA_URLS: ` ${REPLICAS.join('  ')}` }, { replicaUrls: REPLICAS }],
  [{ GRAPHQL_INTROSPECTION: 'on' }, { graphqlIntrospection: true }],
  [{ GRAPHQL_INTROSPECTION: 'off' }, { graphqlIntrospection: false }],
  [{ GRAPHQL_TRUSTED_DOCUMENTS: 'also' }, { trustedDocumentsOnly: false }],
  [{ GRAPHQL_TRUSTED_DOCUMENTS: 'only' }, { trustedDocumentsOnly: true }],
  [{ MIGRATE: 'on' }, { migrate: true }],
  [{ MIGRATE: 'off' }, { migrate: false }],
  [{ CORS_ORIGINS: SHOP }, { corsOrigins: [SHOP] }],
  [{ CORS_ORIGINS: '*' }, { corsOrigins: ['*'] }],
  [
    { CORS_ORIGINS: ` ${SHOP}, http://localhost:5173 ` },
    { corsOrigins: [SHOP, 'http://localhost:5173'] },
  ],
  [{ CORS_HEADERS: 'X-Tenant, datadog-id' }, { corsHeaders: ['X-Tenant', 'datadog-id'] }],
  [{ PUBLIC_URL: SHOP }, { publicUrl: SHOP }],
  [{ PUBLIC_URL: 'http://shop.example:8080/' }, { publicUrl: 'http://shop.example:8080' }],
  [{ PUBLIC_URL: 'HTTPS://Shop.Example/Store//' }, { publicUrl: 'https://shop.example/Store' }],
  [{ PUBLIC_URL: 'http://[::1]/a-b_c.d~e/%20f' }, { publicUrl: 'http://[::1]/a-b_c.d~e/%20f' }],
  ...wordsOf(`
    https://login.example https://login.example/ https://login.example:8443/realms/shop
    http://localhost:8080 http://127.0.0.1:8080/realms/shop http://[::1]:8080`).map(
    (oidcIssuer): [NodeJS.ProcessEnv, Partial<Config>] => [
      { ...OIDC, OIDC_ISSUER: oidcIssuer },
      { oidcIssuer, oidcAudience: 'shop', oidcClientId: 'web' },
    ],
  ),
])('the configuration %j is accepted', (environment, expected) => {
  expect(readConfig(environment)).toMatchObject(expected);
});

test.each<[NodeJS.ProcessEnv, string]>([
  [{ METRICS_PORT: '4000' }, 'METRICS_PORT and PORT must be different'],
  [{ METRICS_PORT: '04000' }, 'METRICS_PORT and PORT must be different'],
  [
    { OIDC_ISSUER: 'https://login.example' },
    'OIDC_ISSUER requires OIDC_AUDIENCE: without it, tokens for other services would be valid',
  ],
  [OIDC, 'OIDC_AUDIENCE requires OIDC_ISSUER; OIDC_CLIENT_ID requires OIDC_ISSUER'],
  ...['mysql://h/db', 'h/db', 'postgresql', 'mysql://u:secret@h/db'].map(
    (url): [NodeJS.ProcessEnv, string] => [
      { DATABASE_URL: url },
      'DATABASE_URL must be a URL such as postgresql://user:password@host:5432/database',
    ],
  ),
  [
    { DATABASE_URL, DATABASE_REPLICA_URLS: `${DATABASE_URL} mysql://u:secret@h/db` },
    'DATABASE_REPLICA_URLS must be a URL such as postgresql://user:password@host:5432/database',
  ],
  [
    { DATABASE_REPLICA_URLS: DATABASE_URL },
    'DATABASE_REPLICA_URLS requires DATABASE_URL, the URL of their primary',
  ],
  [
    { PORT: 'x', DATABASE_URL: 'nonsense', HOST: 'a b' },
    'PORT must be an integer between 0 and 65535, not "x"; HOST must be an address or a host name, not "a b"; DATABASE_URL must be a URL such as postgresql://user:password@host:5432/database',
  ],
])('the configuration %j is rejected', (environment, message) => {
  expect(() => readConfig(environment)).toThrow(new StartupFailure(message));
});

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318' };

test.each<[boolean, NodeJS.ProcessEnv]>([
  [false, {}],
  [false, { OTEL_TRACES_EXPORTER: ' ', OTEL_EXPORTER_OTLP_ENDPOINT: '' }],
  [false, { OTEL_SERVICE_NAME: 'shop', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }],
  [true, ENDPOINT],
  [true, { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://localhost:4318/v1/traces' }],
  [true, { OTEL_TRACES_EXPORTER: 'otlp' }],
  [true, { OTEL_TRACES_EXPORTER: 'console' }],
  [true, { ...ENDPOINT, OTEL_SDK_DISABLED: 'false' }],
  [false, { ...ENDPOINT, OTEL_SDK_DISABLED: ' True ' }],
  [false, { ...ENDPOINT, OTEL_TRACES_EXPORTER: 'none' }],
  [false, { OTEL_TRACES_EXPORTER: 'console, none' }],
])('readConfig sets tracing to %s for %j', (expected, environment) => {
  expect(readConfig(environment).tracing).toBe(expected);
});

test("an empty environment variable means the setting's default", () => {
  const variables = `
    PORT HOST METRICS_PORT METRICS_HOST DATABASE_URL DATABASE_REPLICA_URLS DATA_DIR MIGRATE LOG_LEVEL LOG_SAMPLE PUBLIC_URL
    CORS_ORIGINS CORS_HEADERS TRUSTED_PROXIES WORKERS WORKER_TIMEOUT POOL_SIZE GRAPHQL_INTROSPECTION
    GRAPHQL_TRUSTED_DOCUMENTS RATE_LIMIT FAILED_AUTH_LIMIT MAX_CONNECTIONS MAX_OPEN_REQUESTS
    OIDC_ISSUER OIDC_AUDIENCE OIDC_CLIENT_ID`;
  const empty = Object.fromEntries<string>(wordsOf(variables).map((name) => [name, '']));
  expect(readConfig(empty, empty)).toEqual(readConfig({}));
  expect(readConfig({})).toEqual({
    port: 4000,
    workers: 1,
    workerTimeout: 5000,
    poolSize: 12,
    host: '127.0.0.1',
    metricsPort: undefined,
    metricsHost: '127.0.0.1',
    databaseUrl: undefined,
    replicaUrls: [],
    dataDirectory: join(import.meta.dirname, '../..', 'data'),
    migrate: true,
    logLevel: 'info',
    logSample: 1,
    corsOrigins: [],
    corsHeaders: [],
    graphqlIntrospection: true,
    trustedDocumentsOnly: false,
    tracing: false,
    rateLimit: { quota: 60_000, windowSeconds: 60 },
    failedAuthLimit: { quota: 60, windowSeconds: 60 },
    maximumConnections: 4000,
    maximumOpenRequests: 1000,
    trustedProxies: [],
  });
});

test.each([
  ['RATE_LIMITS', 'RATE_LIMIT'],
  ['DATABSE_URL', 'DATABASE_URL'],
  ['DATABASE_ULR', 'DATABASE_URL'],
  ['LOGLEVEL', 'LOG_LEVEL'],
  ['CORS-ORIGINS', 'CORS_ORIGINS'],
  ['WORKER', 'WORKERS'],
  ['PORT', undefined],
  ['RATE_LIMIT', undefined],
  ['HOSTNAME', undefined],
  ['LIMITS', undefined],
  ['DATABASE', undefined],
  ['LANG', undefined],
  ['DATABASE_URL_OF_TESTS', undefined],
])('the setting suggested for a variable named %s is %s', (variable, setting) => {
  const expected = setting === undefined ? [] : [{ variable, setting }];
  expect(misspelledVariables({ [variable]: '1', PATH: '/bin' })).toEqual(expected);
});

test('a start warns about a misspelled setting', async () => {
  await using service = await startService({ RATE_LIMITS: '10/60s' });
  expect(logOf(service).filter(({ level }) => level === 40)).toEqual([
    expect.objectContaining({
      variable: 'RATE_LIMITS',
      msg: 'unknown setting: did you mean RATE_LIMIT?',
    }),
  ]);
});
