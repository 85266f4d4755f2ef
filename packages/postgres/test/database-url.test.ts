import { expect, test } from 'vitest';
import { StartupFailure } from '@store-gateway/ops';
import { addressOf } from '../src/start-session.ts';
import { inSchema, parseDatabaseUrl, schemaOf } from '../src/database-url.ts';

const MALFORMED =
  'DATABASE_URL must be a URL such as postgresql://user:password@host:5432/database';

test.each([
  ['postgresql://u:secret@h:x/db', MALFORMED],
  ['postgresql://u:secret@::1/db', MALFORMED],
  ['postgresql://u:secret@h/db?sslmode', MALFORMED],
  ['postgresql://u:secret@h/d%00b', MALFORMED],
  ['postgresql://u:secret@h/d%ffb', MALFORMED],
  // The "?" belongs to the password.
  ['postgresql://u:sec?ret=1&s@h/db', MALFORMED],
  ['postgresql://u:secret@h:0/db', 'DATABASE_URL: port must be an integer between 1 and 65535'],
  ['postgresql://h/db?port=65536', 'DATABASE_URL: port must be an integer between 1 and 65535'],
  [
    'postgresql://u:secret@h1,h2,h3/db?port=5432,5433',
    'DATABASE_URL has 3 hosts and 2 ports; it must have one port, or one for each host',
  ],
  [
    'postgresql://h1,h2/db?load_balance_hosts=random',
    'DATABASE_URL: load_balance_hosts must be disable, not "random"',
  ],
  ['postgresql://h/db?sslmod=verify-full', 'DATABASE_URL has an unknown parameter, "sslmod"'],
  [
    'postgresql://h/db?sslmode=requier',
    'DATABASE_URL: sslmode must be disable, allow, prefer, require, verify-ca, verify-full, no-verify, not "requier"',
  ],
  [
    'postgresql://h/db?target_session_attrs=standby',
    'DATABASE_URL: target_session_attrs must be any, read-write, primary, not "standby"',
  ],
  ...['ø'.repeat(32), 'pg_shop', 'information_schema', '$user'].map((schema) => [
    `postgresql://h/db?schema=${schema}`,
    'DATABASE_URL: schema must be a name of at most 63 bytes that PostgreSQL does not reserve',
  ]),
])('parseDatabaseUrl rejects %s', (url = '', message = '') => {
  expect(() => parseDatabaseUrl(url)).toThrow(new StartupFailure(message));
});

test('query parameters override the other parts of a database URL', () => {
  const url = parseDatabaseUrl('postgresql://a:b@h:1/d?user=u&host=/run&dbname=x&password=p%40+q');
  expect(Object.fromEntries(url)).toEqual({
    host: '/run',
    port: '1',
    user: 'u',
    password: 'p@ q',
    dbname: 'x',
  });
});

test.each([
  ['postgresql://h1,h2:5433,[::1]:5434/db', 'h1:5432 or h2:5433 or [::1]:5434'],
  ['postgresql://%2Frun%2Fa,h2/db', '/run/a or h2:5432'],
  ['postgresql:///db?host=h1,h2&port=6543', 'h1:6543 or h2:6543'],
  ['postgresql:///db?host=h1,h2&port=,6543', 'h1:5432 or h2:6543'],
  ['postgresql://elsewhere:1/db?host=h1,h2&port=6543,6544', 'h1:6543 or h2:6544'],
])('addressOf lists the servers of %s', (url, addresses) => {
  expect(addressOf(url)).toBe(addresses);
});

test('if the schema of a database URL is set several times, the last one applies', () => {
  const url = inSchema(inSchema('postgresql://h/db', 'public'), 'a & b');
  expect(schemaOf(url)).toBe('a & b');
});
