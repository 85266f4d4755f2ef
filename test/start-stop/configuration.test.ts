import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readConfig } from '../../packages/gateway/src/config/config.ts';
import { StartupFailure } from '@store-gateway/ops';

test.each(['65536', '-1', '1.5', ' 80', '80 ', '8e1', '0x50', '80\n'])(
  'PORT=%j is refused, and so for METRICS_PORT',
  (port) => {
    expect(() => readConfig({ PORT: port, METRICS_PORT: `${port}x` })).toThrow(
      new StartupFailure(
        [
          `PORT must be an integer between 0 and 65535, not ${JSON.stringify(port)}`,
          `METRICS_PORT must be an integer between 0 and 65535, not ${JSON.stringify(`${port}x`)}`,
        ].join('; '),
      ),
    );
  },
);

test.each([
  ['0', 0],
  ['80', 80],
  ['65535', 65_535],
])('PORT=%s is a port, and METRICS_PORT another', (port, expected) => {
  expect(readConfig({ PORT: port })).toMatchObject({ port: expected, metricsPort: undefined });
  expect(readConfig({ METRICS_PORT: port })).toMatchObject({ port: 4000, metricsPort: expected });
});

test.each(['3', '0', '-4', '4.5', '1000', 'many', ' 12'])('POOL_SIZE=%j is refused', (size) => {
  expect(() => readConfig({ POOL_SIZE: size })).toThrow(
    new StartupFailure(
      `POOL_SIZE must be an integer between 4 and 999, not ${JSON.stringify(size)}`,
    ),
  );
});

test.each([
  ['', 12],
  ['4', 4],
  ['999', 999],
])('POOL_SIZE=%j is %i connections', (size, expected) => {
  expect(readConfig({ POOL_SIZE: size })).toMatchObject({ poolSize: expected });
});

test('METRICS_PORT may not be that of PORT, unless both are to be any free one', () => {
  const message = 'METRICS_PORT and PORT must be different';
  for (const port of ['4000', '04000']) {
    expect(() => readConfig({ METRICS_PORT: port })).toThrow(new StartupFailure(message));
  }
  expect(readConfig({ PORT: '0', METRICS_PORT: '0' })).toMatchObject({ port: 0, metricsPort: 0 });
});

test('all that is wrong is told at once, and no password', () => {
  const env = { PORT: 'x', LOG_LEVEL: 'loud', DATABASE_URL: 'mysql://u:secret@h/db', HOST: 'a b' };
  expect(() => readConfig(env)).toThrow(
    new StartupFailure(
      [
        'PORT must be an integer between 0 and 65535, not "x"',
        'HOST must be an address or a host name, not "a b"',
        'DATABASE_URL must be a URL such as postgresql://user:password@host:5432/database',
        'LOG_LEVEL must be one of fatal, error, warn, info, debug, trace, silent, not "loud"',
      ].join('; '),
    ),
  );
});

test.each(['mysql://h/db', 'h/db', 'postgresql'])('DATABASE_URL=%s is refused', (url) => {
  expect(() => readConfig({ DATABASE_URL: url })).toThrow(
    new StartupFailure(
      'DATABASE_URL must be a URL such as postgresql://user:password@host:5432/database',
    ),
  );
});

test('a variable that is empty has its default', () => {
  const variables =
    'PORT HOST METRICS_PORT METRICS_HOST DATABASE_URL DATABASE_REPLICA_URLS DATA_DIR MIGRATE LOG_LEVEL LOG_SAMPLE PUBLIC_URL CORS_ORIGINS CORS_HEADERS TRUSTED_PROXIES WORKERS WORKER_TIMEOUT';
  const switches =
    'GRAPHQL_INTROSPECTION GRAPHQL_TRUSTED_DOCUMENTS RATE_LIMIT FAILED_AUTH_LIMIT MAX_CONNECTIONS MAX_OPEN_REQUESTS OIDC_ISSUER OIDC_AUDIENCE OIDC_CLIENT_ID';
  const empty = `${variables} ${switches}`.split(' ').map((name) => [name, ''] as const);
  expect(readConfig(Object.fromEntries<string>(empty))).toEqual(readConfig({}));
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
  ['https://shop.example', ['https://shop.example']],
  [
    ' https://shop.example, http://localhost:5173 ',
    ['https://shop.example', 'http://localhost:5173'],
  ],
  ['*', ['*']],
])('CORS_ORIGINS=%j names origins', (text, expected) => {
  expect(readConfig({ CORS_ORIGINS: text }).corsOrigins).toEqual(expected);
});

test.each([
  'shop.example',
  'https://shop.example/',
  'https://shop.example/path',
  'HTTPS://shop.example',
  'https://user@shop.example',
  'https://shop.example:443',
  'ftp://shop.example',
  'null',
  'https://*.example',
  '*',
])('CORS_ORIGINS=%j is refused, as no browser would send it', (origin) => {
  expect(() => readConfig({ CORS_ORIGINS: `https://other.example,${origin}` })).toThrow(
    new StartupFailure(
      `CORS_ORIGINS must be origins such as https://shop.example, or * alone, not ${JSON.stringify(origin)}`,
    ),
  );
});

test.each([
  ['GRAPHQL_INTROSPECTION', 'on', 'off', 'false'],
  ['GRAPHQL_TRUSTED_DOCUMENTS', 'also', 'only', 'ONLY'],
  ['MIGRATE', 'on', 'off', 'no'],
])('%s is %s or %s, and not %s', (name, first, second, other) => {
  expect(readConfig({ [name]: first })).toEqual(readConfig({}));
  expect(readConfig({ [name]: second })).not.toEqual(readConfig({}));
  expect(() => readConfig({ [name]: other })).toThrow(
    new StartupFailure(`${name} must be ${first} or ${second}, not "${other}"`),
  );
});

test.each(['0', '-1', '1.5', '1e3', '10000000', 'off'])(
  'MAX_CONNECTIONS=%s is refused',
  (value) => {
    expect(() => readConfig({ MAX_CONNECTIONS: value, MAX_OPEN_REQUESTS: value })).toThrow(
      new StartupFailure(
        ['MAX_CONNECTIONS', 'MAX_OPEN_REQUESTS']
          .map((name) => `${name} must be an integer between 1 and 9999999, not "${value}"`)
          .join('; '),
      ),
    );
  },
);

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318' };

test.each<[boolean, NodeJS.ProcessEnv]>([
  [false, {}],
  [false, { OTEL_TRACES_EXPORTER: ' ', OTEL_EXPORTER_OTLP_ENDPOINT: '' }],
  [false, { OTEL_SERVICE_NAME: 'shop', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }],
  [true, ENDPOINT],
  [true, { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://localhost:4318/v1/traces' }],
  [true, { OTEL_TRACES_EXPORTER: 'otlp' }],
  [true, { ...ENDPOINT, OTEL_SDK_DISABLED: 'false' }],
  [false, { ...ENDPOINT, OTEL_SDK_DISABLED: ' True ' }],
  [false, { ...ENDPOINT, OTEL_TRACES_EXPORTER: 'none' }],
  [false, { OTEL_TRACES_EXPORTER: 'console, none' }],
])('tracing is %s with %j', (expected, environment) => {
  expect(readConfig(environment).tracing).toBe(expected);
});

test.each([
  ['', undefined],
  ['https://shop.example', 'https://shop.example'],
  ['http://shop.example:8080/', 'http://shop.example:8080'],
  ['HTTPS://Shop.Example/Store//', 'https://shop.example/Store'],
  ['http://[::1]/a-b_c.d~e/%20f', 'http://[::1]/a-b_c.d~e/%20f'],
])('PUBLIC_URL=%j is where clients reach the service', (text, expected) => {
  expect(readConfig({ PUBLIC_URL: text }).publicUrl).toBe(expected);
});

test.each([
  '/store',
  'shop.example',
  '//shop.example',
  'ftp://shop.example',
  'https:shop.example',
  'https://',
  'https://:80',
  'https://shop.example:99999',
  'https://shop example',
  'https://me@shop.example',
  'https://me:secret@shop.example',
  'https://@shop.example',
  'https://shop.example?',
  'https://shop.example/store?a=1',
  'https://shop.example/store#',
  'https://shop"example',
  'https://shop.example/"',
  'https://shop.example/<b>',
  'https://shop.example/%z',
  ' https://a',
])('PUBLIC_URL=%j is refused', (text) => {
  expect(() => readConfig({ PUBLIC_URL: text })).toThrow(
    new StartupFailure(
      `PUBLIC_URL must be an http or https URL such as https://shop.example/store, without user, query or fragment, not ${JSON.stringify(text)}`,
    ),
  );
});
