import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readConfig } from '../src/config.ts';
import { StartupFailure } from '../src/startup-failure.ts';

test.each(['65536', '-1', '1.5', ' 80', '80 ', '8e1', '0x50', '80\n'])(
  'PORT=%j is refused',
  (port) => {
    expect(() => readConfig({ PORT: port })).toThrow(
      new StartupFailure(
        `PORT must be an integer between 0 and 65535, not ${JSON.stringify(port)}`,
      ),
    );
  },
);

test.each([
  ['0', 0],
  ['80', 80],
  ['65535', 65_535],
])('PORT=%s is a port', (port, expected) => {
  expect(readConfig({ PORT: port }).port).toBe(expected);
});

test.each(['mysql://h/db', 'h/db', 'postgresql'])('DATABASE_URL=%s is refused', (url) => {
  expect(() => readConfig({ DATABASE_URL: url })).toThrow(
    new StartupFailure(
      'DATABASE_URL must be a URL such as postgresql://user:password@host:5432/database',
    ),
  );
});

test('a variable that is empty has its default', () => {
  const variables = 'PORT HOST DATABASE_URL DATA_DIR LOG_LEVEL CORS_ORIGINS';
  const switches = 'GRAPHQL_INTROSPECTION GRAPHQL_TRUSTED_DOCUMENTS';
  const empty = `${variables} ${switches}`.split(' ').map((name) => [name, ''] as const);
  expect(readConfig(Object.fromEntries<string>(empty))).toEqual(readConfig({}));
  expect(readConfig({})).toEqual({
    port: 4000,
    host: '127.0.0.1',
    databaseUrl: undefined,
    dataDirectory: join(import.meta.dirname, '..', 'data'),
    logLevel: 'info',
    corsOrigins: [],
    graphqlIntrospection: true,
    trustedDocumentsOnly: false,
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
])('CORS_ORIGINS=%j is refused, as no browser would send it', (origin) => {
  expect(() => readConfig({ CORS_ORIGINS: `https://other.example,${origin}` })).toThrow(
    new StartupFailure(
      `CORS_ORIGINS must be origins such as https://shop.example, or * alone, not ${JSON.stringify(origin)}`,
    ),
  );
});

test('of several origins none may be *', () => {
  expect(() => readConfig({ CORS_ORIGINS: '*,https://shop.example' })).toThrow('not "*"');
});

test.each([
  ['GRAPHQL_INTROSPECTION', 'on', 'off', 'false'],
  ['GRAPHQL_TRUSTED_DOCUMENTS', 'also', 'only', 'ONLY'],
])('%s is %s or %s, and not %s', (name, first, second, other) => {
  expect(readConfig({ [name]: first })).toEqual(readConfig({}));
  expect(readConfig({ [name]: second })).not.toEqual(readConfig({}));
  expect(() => readConfig({ [name]: other })).toThrow(
    new StartupFailure(`${name} must be ${first} or ${second}, not "${other}"`),
  );
});
