import { expect, test } from 'vitest';
import { StartupFailure } from '@gateway/errors/startup-failure';
import { inSchema, parseDatabaseUrl, schemaOf } from '../src/database-url.ts';

const MALFORMED =
  'DATABASE_URL must be a URL such as postgresql://user:password@host:5432/database';

test.each([
  ['postgresql://u:secret@h:x/db', MALFORMED],
  ['postgresql://u:secret@::1/db', MALFORMED],
  ['postgresql://u:secret@h/db?sslmode', MALFORMED],
  ['postgresql://u:secret@h/d%00b', MALFORMED],
  ['postgresql://u:secret@h/d%ffb', MALFORMED],
  // The "?" is one of the password.
  ['postgresql://u:sec?ret=1&s@h/db', MALFORMED],
  ['postgresql://u:secret@h:0/db', 'DATABASE_URL: port must be an integer between 1 and 65535'],
  ['postgresql://h/db?port=65536', 'DATABASE_URL: port must be an integer between 1 and 65535'],
  [
    'postgresql://u:secret@h1:5432,h2:5433/db',
    'DATABASE_URL must name one host: where there are several, that of a proxy in front of them',
  ],
  [
    'postgresql:///db?host=h1,h2',
    'DATABASE_URL must name one host: where there are several, that of a proxy in front of them',
  ],
  [
    'postgresql://h/db?sslmod=verify-full',
    'DATABASE_URL has a parameter that is not known here, "sslmod"',
  ],
  [
    'postgresql://h/db?sslmode=requier',
    'DATABASE_URL: sslmode must be disable, allow, prefer, require, verify-ca, verify-full, no-verify, not "requier"',
  ],
  [
    'postgresql://h/db?target_session_attrs=read-write',
    'DATABASE_URL: target_session_attrs must be any, not "read-write"',
  ],
  ...['ø'.repeat(32), 'pg_shop', 'information_schema', '$user'].map((schema) => [
    `postgresql://h/db?schema=${schema}`,
    "DATABASE_URL: schema must be a name of 63 bytes at most, and none of PostgreSQL's own",
  ]),
])('%s is rejected', (url = '', message = '') => {
  expect(() => parseDatabaseUrl(url)).toThrow(new StartupFailure(message));
});

test('parts may be parameters instead, which win', () => {
  const url = parseDatabaseUrl('postgresql://a:b@h:1/d?user=u&host=/run&dbname=x&password=p%40+q');
  expect(Object.fromEntries(url)).toEqual({
    host: '/run',
    port: '1',
    user: 'u',
    password: 'p@ q',
    dbname: 'x',
  });
});

test('of several schemas the last one counts', () => {
  const url = inSchema(inSchema('postgresql://h/db', 'public'), 'a & b');
  expect(schemaOf(url)).toBe('a & b');
});
