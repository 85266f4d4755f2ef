import { afterEach, expect, test, vi } from 'vitest';
import { findKey, hashApiKey, rotateKey } from '../../packages/access/src/keys/api-keys.ts';
import { keysCommand } from '../../packages/gateway/src/commands/keys.ts';
import { gateway } from '../../src/gateway.ts';
import { runInProcess } from '../support/command.ts';
import { startGateway } from '../support/gateway.ts';
import { connectClient } from '../support/connect-client.ts';
import { createKey } from '../support/keys.ts';
import { waitingForLock } from '../support/migrating.ts';

const KEY_LINE = /^asg_[0-9A-Za-z]{49}\n$/;
const HOUR = 3_600_000;

const SHOP = 'https://shop.example';
/** Origins, of which those on the local machine do not need TLS. */
const ORIGINS = `${SHOP},http://localhost:5173,http://127.0.0.1:8080,http://[::1]:8080,http://app.localhost`;
const access = { ...gateway.access, scopes: { prices: 'See prices.' } };
const keys = keysCommand({ ...gateway, access });
const { request, post, database, tables, databaseUrl } = await startGateway({ access });
const env = { DATABASE_URL: databaseUrl };

/** Runs a command that must succeed without output on stderr. Resolves to its stdout. */
async function succeed(...args: string[]): Promise<string> {
  const { stdout, ...outcome } = await runInProcess(keys, args, { env });
  expect(outcome).toEqual({ code: 0, stderr: '' });
  return stdout;
}

/** Runs a command that creates a key, and checks that stdout contains nothing else. */
async function make(...args: string[]): Promise<string> {
  const stdout = await succeed(...args);
  expect(stdout).toMatch(KEY_LINE);
  return stdout.trimEnd();
}

function recordOf(key: string) {
  return tables.apiKey.findUniqueOrThrow({ where: { hash: hashApiKey(key) } });
}

async function statusWith(key: string): Promise<number> {
  return (await request('/v1/pets', { headers: { Authorization: `Bearer ${key}` } })).status;
}

/** Returns the key's line in the list. */
async function listed(key: string): Promise<string | undefined> {
  const { id } = await recordOf(key);
  return (await succeed('list')).split('\n').find((line) => line.startsWith(`${id} `));
}

test('keys create prints only the key, which works and never expires', async () => {
  const key = await make('create', 'Rex & Söhne');
  expect(await statusWith(key)).toBe(200);
  expect(await recordOf(key)).toMatchObject({
    name: 'Rex & Söhne',
    expiresAt: null,
    revokedAt: null,
  });
});

test('keys list shows every key’s state, but never the key or its hash', async () => {
  const valid = await make('create', 'list valid');
  const revoked = await make('create', 'list revoked');
  const expired = await make('create', 'list expired', '--expires', '1h');
  await succeed('revoke', await idOf(revoked));
  await tables.apiKey.update({
    where: { hash: hashApiKey(expired) },
    data: { expiresAt: new Date(0) },
  });

  const list = await succeed('list');
  const [header, ...rows] = list
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/ {2,}/));
  const restrictions = ['SCOPES', 'ORIGINS', 'DOCUMENTS'];
  expect(header).toEqual(['ID', 'STATE', 'CREATED', 'EXPIRES', ...restrictions, 'NAME']);
  for (const [key, state] of [
    [revoked, 'revoked'],
    [expired, 'expired'],
    [valid, 'valid'],
  ] as const) {
    const { id, name, createdAt, expiresAt } = await recordOf(key);
    const times = [createdAt.toISOString(), expiresAt?.toISOString() ?? 'never'];
    expect(rows).toContainEqual([String(id), state, ...times, 'all', 'all', 'all', name]);
  }
  const records = await tables.apiKey.findMany({ orderBy: { id: 'asc' } });
  expect(rows.map(([id]) => id)).toEqual(records.map(({ id }) => String(id)));
  for (const secret of [valid, revoked, expired]) {
    expect(list).not.toContain(secret.slice(4, 20));
    expect(list).not.toContain(hashApiKey(secret).toString('hex').slice(0, 16));
  }
});

test('keys revoke takes effect immediately', async () => {
  const key = await make('create', 'leaver');
  const { id } = await recordOf(key);
  expect(await succeed('revoke', String(id))).toBe(`revoked ${id}\n`);
  expect(await statusWith(key)).toBe(401);
  expect(await listed(key)).toMatch(/^\d+ +revoked /);
});

test('keys rotate immediately replaces a key with a new key of the same name', async () => {
  const old = await make('create', 'turning');
  const replacement = await make('rotate', await idOf(old));
  expect([await statusWith(old), await statusWith(replacement)]).toEqual([401, 200]);
  expect((await recordOf(replacement)).name).toBe('turning');
  expect(await listed(old)).toMatch(/^\d+ +revoked /);
});

test('of two concurrent rotations of an API key, one succeeds', async () => {
  const { id } = await recordOf(await make('create', 'contested'));
  const rotations = [1, 2].map(() => runInProcess(keys, ['rotate', String(id)], { env }));
  const codes = (await Promise.all(rotations)).map(({ code }) => code);
  expect(new Set(codes)).toEqual(new Set([0, 1]));
  expect(await tables.apiKey.count({ where: { name: 'contested' } })).toBe(2);
});

test('keys rotate --grace never extends the validity of the previous key', async () => {
  const old = await make('create', 'brief', '--expires', '1h');
  const { id, expiresAt } = await recordOf(old);
  await make('rotate', String(id), '--grace', '24h');
  expect((await recordOf(old)).expiresAt).toEqual(expiresAt);
});

test.each([
  {
    what: 'line breaks',
    name: 'a\n9  valid\r\u0085\u2028b',
    shown: String.raw`a\u{a}9  valid\u{d}\u{85}\u{2028}b`,
  },
  {
    what: 'escapes',
    name: 'a\u001B[2Jb\u009B1mc\u007F',
    shown: String.raw`a\u{1b}[2Jb\u{9b}1mc\u{7f}`,
  },
  { what: 'a right-to-left override', name: 'a\u202Eb', shown: String.raw`a\u{202e}b` },
  { what: 'any script', name: 'Пёс 犬 🐕 "x"', shown: 'Пёс 犬 🐕 "x"' },
])(
  'an API key’s name with $what is stored unchanged and listed on one line',
  async ({ name, shown }) => {
    const key = await make('create', name);
    expect((await recordOf(key)).name).toBe(name);
    const [, listedName] =
      /^\d+ +valid +\S+Z +never(?: +all){3} +(.+)$/.exec((await listed(key)) ?? '') ?? [];
    expect(listedName).toBe(shown);
  },
);

const idOf = async (key: string) => String((await findKey(database, key))?.id);

/** Returns the restriction cells of a key's row in a table. */
const cellsIn = (table: string, id: string): string[] =>
  (table.split('\n').find((line) => line.startsWith(`${id} `)) ?? '').split(/ +/).slice(4, 7);
const restrictionsOf = async (key: string) => cellsIn(await succeed('list'), await idOf(key));

/** Returns the restrictions of a key that the service returns to a page of the key's origin. */
async function keyResponse(key: string): Promise<unknown> {
  const headers = { Authorization: `Bearer ${key}`, Origin: SHOP };
  return (await request('/key', { headers })).json;
}

const [READ, BOTH] = [['read'], ['prices', 'read']];

test.each([
  ['--scopes read', 'read all all', { scopes: READ, origins: null, documentsOnly: false }],
  [
    '--scopes prices,read,prices --documents',
    'read,prices all trusted',
    { scopes: BOTH, origins: null, documentsOnly: true },
  ],
  [
    `--origins ${SHOP}`,
    `read ${SHOP} all`,
    { scopes: READ, origins: [SHOP], documentsOnly: false },
  ],
  [
    `--origins ${ORIGINS},${SHOP} --scopes read,prices --expires 1d`,
    `read,prices ${ORIGINS} all`,
    { scopes: BOTH, origins: ORIGINS.split(','), documentsOnly: false },
  ],
  [
    '--scopes all --origins all --no-documents',
    'all all all',
    { scopes: null, origins: null, documentsOnly: false },
  ],
])(
  'keys list and GET /key report the restrictions of a key created with %s',
  async (options, cells, means) => {
    const key = await make('create', 'some', ...options.split(' '));
    expect(await restrictionsOf(key)).toEqual(cells.split(' '));
    expect(await keyResponse(key)).toEqual(means);
  },
);

test('keys restrict changes only the given restrictions', async () => {
  const key = await make('create', 'changing');
  const id = await idOf(key);
  for (const [options, expected] of [
    ['--documents', 'all all trusted'],
    ['--scopes write,read', 'read,write all trusted'],
    ['--scopes read,prices --no-documents', 'read,prices all all'],
    [`--origins ${SHOP}`, `read,prices ${SHOP} all`],
    ['--scopes prices', `prices ${SHOP} all`],
    ['--documents', `prices ${SHOP} trusted`],
    ['--origins all', 'prices all trusted'],
    ['--scopes all --no-documents', 'all all all'],
    [`--origins ${SHOP}`, `read ${SHOP} all`],
  ] as const) {
    const cells = expected.split(' ');
    const output = await succeed('restrict', id, ...options.split(' '));
    expect([options, cellsIn(output, id)]).toEqual([options, cells]);
    expect(await restrictionsOf(key)).toEqual(cells);
  }
});

test.each([
  ['--scopes read,write', `--origins ${SHOP}`],
  [`--origins ${SHOP}`, '--scopes all'],
  [`--origins ${SHOP}`, '--scopes read,write'],
])(
  'a key with %s cannot be restricted with %s, because web pages could write with it',
  async (made, changed) => {
    const key = await make('create', 'refused', ...made.split(' '));
    const before = await restrictionsOf(key);
    const args = ['restrict', await idOf(key), ...changed.split(' ')];
    expect(await runInProcess(keys, args, { env })).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'keys: a key with origins is public, because web pages contain it, so it must not have the scope write; give --scopes without write\n',
    });
    expect(await restrictionsOf(key)).toEqual(before);
  },
);

test.each([
  { options: [] },
  { options: ['--scopes', 'read,prices'] },
  { options: ['--origins', SHOP, '--documents'] },
])('keys rotate keeps the restrictions of a key created with $options', async ({ options }) => {
  const key = await make('create', 'turning', ...options);
  const before = { cells: await restrictionsOf(key), means: await keyResponse(key) };
  const replacement = (await succeed('rotate', await idOf(key), '--grace', '1h')).trimEnd();
  expect({
    cells: await restrictionsOf(replacement),
    means: await keyResponse(replacement),
  }).toEqual(before);
  expect(await keyResponse(key)).toEqual(before.means);
  const again = (await succeed('rotate', await idOf(replacement))).trimEnd();
  expect(await keyResponse(again)).toEqual(before.means);
});

afterEach(() => {
  vi.useRealTimers();
});

/** Shifts the clock of this process, but not that of the database. */
function setClock(difference: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + difference });
}

test.each([-HOUR, HOUR])(
  'a service whose clock is off by %i ms accepts an API key until it expires',
  async (difference) => {
    const now = Date.now();
    const [valid = '', expired = ''] = await Promise.all(
      [HOUR / 2, -HOUR / 2].map(async (left) => {
        const name = left > 0 ? 'valid' : 'expired';
        return (await createKey(database, { name, expiresAt: new Date(now + left) })).key;
      }),
    );
    setClock(difference);
    expect(await Promise.all([valid, expired].map(statusWith))).toEqual([200, 401]);
    const list = await succeed('list');
    expect(list).toMatch(/ valid +\S+ +\S+ .* valid$/m);
    expect(list).toMatch(/ expired +\S+ +\S+ .* expired$/m);
  },
);

test.each([-HOUR, 0, HOUR])(
  'with a clock off by %i ms, keys created with --expires or rotated with --grace expire at the right time',
  async (difference) => {
    const now = Date.now();
    setClock(difference);
    const key = await make('create', 'visitor', '--expires=12h');
    const successor = await make('rotate', await idOf(key), '--grace', '6h');
    vi.useRealTimers();
    const lifetimes = [await recordOf(successor), await recordOf(key)].map(
      ({ expiresAt }) => ((expiresAt?.getTime() ?? 0) - now) / HOUR,
    );
    expect(lifetimes).toEqual([expect.closeTo(12, 2), expect.closeTo(6, 2)]);
    expect([await statusWith(key), await statusWith(successor)]).toEqual([200, 200]);
  },
);

test('a key can claim idempotency keys while it is being rotated', async () => {
  const { key, id } = await createKey(database);
  // The trigger pauses the rotation while it holds a lock on the key's row.
  await database.$executeRaw`CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql
    AS 'BEGIN PERFORM pg_advisory_xact_lock(1); RETURN NEW; END'`;
  await database.$executeRaw`CREATE TRIGGER wait BEFORE INSERT ON _gateway_api_keys
    FOR EACH ROW EXECUTE FUNCTION wait()`;
  const { rotating, status } = await database.$transaction(async (transaction) => {
    await transaction.$executeRaw`SELECT pg_advisory_xact_lock(1)`;
    const begun = rotateKey(database, id, 60_000);
    await waitingForLock(await connectClient(databaseUrl), 1);
    const headers = { Authorization: `Bearer ${key}`, 'Idempotency-Key': '"one"' };
    const created = await post('/v1/pets', { name: 'Rex', categoryId: 1 }, headers);
    return { rotating: { begun }, status: created.status };
  });
  expect(status).toBe(201);
  expect(await rotating.begun).toMatch(/^asg_/);
});
