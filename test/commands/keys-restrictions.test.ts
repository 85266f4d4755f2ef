import { keysCommand } from '../../packages/gateway/src/commands/keys.ts';
import { findKey } from '../../packages/access/src/keys/api-keys.ts';
import { expect, test } from 'vitest';
import { gateway } from '../../src/gateway.ts';
import { runInProcess } from '../support/command.ts';
import { startGateway } from '../support/gateway.ts';

const SHOP = 'https://shop.example';
const DEV = 'http://localhost:5173';
const access = { ...gateway.access, scopes: { prices: 'See prices.' } };
const keys = keysCommand({ ...gateway, access });
const { request, database, databaseUrl } = await startGateway({ access });
const run = (...args: string[]) => runInProcess(keys, args, { env: { DATABASE_URL: databaseUrl } });

/** Runs a command that has to succeed; resolves to what it prints. */
async function succeed(...args: string[]): Promise<string> {
  const { stdout, ...outcome } = await run(...args);
  expect(outcome).toEqual({ code: 0, stderr: '' });
  return stdout;
}

const make = async (...args: string[]) => (await succeed('create', ...args)).trimEnd();
const idOf = async (key: string) => String((await findKey(database, key))?.id);

/** The cells for restrictions in a table of one key, or of that key. */
const cellsIn = (table: string, id: string): string[] =>
  (table.split('\n').find((line) => line.startsWith(`${id} `)) ?? '').split(/ +/).slice(4, 7);
const listed = async (key: string) => cellsIn(await succeed('list'), await idOf(key));

/** What the service tells a key on a page that it is for. */
async function told(key: string, origin = SHOP): Promise<unknown> {
  const headers = { Authorization: `Bearer ${key}`, Origin: origin };
  return (await request('/key', { headers })).json;
}

test.each([
  {
    options: ['--scopes', 'read'],
    cells: ['read', 'all', 'all'],
    means: { scopes: ['read'], origins: null, documentsOnly: false },
  },
  {
    options: ['--scopes', 'prices,read,prices', '--documents'],
    cells: ['read,prices', 'all', 'trusted'],
    means: { scopes: ['prices', 'read'], origins: null, documentsOnly: true },
  },
  {
    options: ['--origins', SHOP],
    cells: ['read', SHOP, 'all'],
    means: { scopes: ['read'], origins: [SHOP], documentsOnly: false },
  },
  {
    options: ['--origins', `${SHOP},${DEV},${SHOP}`, '--scopes', 'read,prices', '--expires', '1d'],
    cells: ['read,prices', `${SHOP},${DEV}`, 'all'],
    means: { scopes: ['prices', 'read'], origins: [SHOP, DEV], documentsOnly: false },
  },
  {
    options: ['--scopes', 'all', '--origins', 'all', '--no-documents'],
    cells: ['all', 'all', 'all'],
    means: { scopes: null, origins: null, documentsOnly: false },
  },
])('create $options makes a key that list and the service tell as it is', async (given) => {
  const key = await make('some', ...given.options);
  expect(await listed(key)).toEqual(given.cells);
  expect(await told(key)).toEqual(given.means);
});

test('origins may be of the own machine without TLS', async () => {
  for (const origin of [
    DEV,
    'http://127.0.0.1:8080',
    'http://[::1]:8080',
    'http://app.localhost',
  ]) {
    const key = await make('dev', '--origins', origin);
    expect(await told(key, origin)).toMatchObject({ origins: [origin] });
  }
});

test('restrict changes what it is given, and nothing else', async () => {
  const key = await make('changing');
  const id = await idOf(key);
  for (const [options, cells] of [
    [['--documents'], ['all', 'all', 'trusted']],
    [
      ['--scopes', 'write,read'],
      ['read,write', 'all', 'trusted'],
    ],
    [
      ['--scopes', 'read,prices', '--no-documents'],
      ['read,prices', 'all', 'all'],
    ],
    [
      ['--origins', SHOP],
      ['read,prices', SHOP, 'all'],
    ],
    [
      ['--scopes', 'prices'],
      ['prices', SHOP, 'all'],
    ],
    [['--documents'], ['prices', SHOP, 'trusted']],
    [
      ['--origins', 'all'],
      ['prices', 'all', 'trusted'],
    ],
    [
      ['--scopes', 'all', '--no-documents'],
      ['all', 'all', 'all'],
    ],
    [
      ['--origins', SHOP],
      ['read', SHOP, 'all'],
    ],
  ] as const) {
    expect([options, cellsIn(await succeed('restrict', id, ...options), id)]).toEqual([
      options,
      cells,
    ]);
    expect(await listed(key)).toEqual(cells);
  }
});

test.each([
  [
    ['--scopes', 'read,write'],
    ['--origins', SHOP],
  ],
  [
    ['--origins', SHOP],
    ['--scopes', 'all'],
  ],
  [
    ['--origins', SHOP],
    ['--scopes', 'read,write'],
  ],
])(
  'a key made with %j is not restricted by %j, as it could write from pages',
  async (made, changed) => {
    const key = await make('refused', ...made);
    const before = await listed(key);
    expect(await run('restrict', await idOf(key), ...changed)).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'keys: a key with origins is public, because web pages contain it, so it must not have the scope write; give --scopes without write\n',
    });
    expect(await listed(key)).toEqual(before);
  },
);

test.each([
  { options: [] },
  { options: ['--scopes', 'read,prices'] },
  { options: ['--origins', SHOP, '--documents'] },
])('rotate keeps that a key was made with $options', async ({ options }) => {
  const key = await make('turning', ...options);
  const before = { cells: await listed(key), means: await told(key) };
  const replacement = (await succeed('rotate', await idOf(key), '--grace', '1h')).trimEnd();
  expect({ cells: await listed(replacement), means: await told(replacement) }).toEqual(before);
  expect(await told(key)).toEqual(before.means);
  const again = (await succeed('rotate', await idOf(replacement))).trimEnd();
  expect(await told(again)).toEqual(before.means);
});
