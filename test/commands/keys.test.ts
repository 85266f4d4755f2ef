import { keys } from '../support/store-commands.ts';
import { expect, test } from 'vitest';
import { hashApiKey } from '../../packages/access/src/keys/api-keys.ts';
import { runInProcess } from '../support/command.ts';
import { startGateway } from '../support/gateway.ts';
import { runEntry } from '../support/process.ts';

const KEY_LINE = /^asg_[0-9A-Za-z]{49}\n$/;
const HOUR = 3_600_000;

const { request, tables, databaseUrl } = await startGateway();
const env = { DATABASE_URL: databaseUrl };

/** Runs a command that has to succeed, with nothing on stderr; resolves to its stdout. */
async function succeed(...args: string[]): Promise<string> {
  const { stdout, ...outcome } = await runInProcess(keys, args, { env });
  expect(outcome).toEqual({ code: 0, stderr: '' });
  return stdout;
}

/** Makes a key and resolves to it; that it is alone on stdout is expected here. */
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

/** The line of the list that begins with the key's id. */
async function listed(key: string): Promise<string | undefined> {
  const { id } = await recordOf(key);
  return (await succeed('list')).split('\n').find((line) => line.startsWith(`${id} `));
}

test('create prints a key alone, which works and never expires', async () => {
  await using command = runEntry('src/main.ts keys', { args: ['create', 'Rex & Söhne'], env });
  expect([await command.exit, command.stderr()]).toEqual([{ code: 0, signal: null }, '']);
  expect(command.stdout()).toMatch(KEY_LINE);
  const key = command.stdout().trimEnd();
  expect(await statusWith(key)).toBe(200);
  expect(await recordOf(key)).toMatchObject({
    name: 'Rex & Söhne',
    expiresAt: null,
    revokedAt: null,
  });
});

test('create --expires makes a key that works until then', async () => {
  const before = Date.now();
  const [key, outdated] = [
    await make('create', 'visitor', '--expires', '12h'),
    await make('create', 'visitor', '--expires=90d'),
  ];
  const { expiresAt } = await recordOf(key);
  expect(expiresAt?.getTime()).toBeGreaterThanOrEqual(before + 12 * HOUR);
  expect(expiresAt?.getTime()).toBeLessThanOrEqual(Date.now() + 12 * HOUR);
  await tables.apiKey.update({
    where: { hash: hashApiKey(outdated) },
    data: { expiresAt: new Date(Date.now() - 1) },
  });
  expect([await statusWith(key), await statusWith(outdated)]).toEqual([200, 401]);
});

test('list tells id, state, times and name of each key, and no key nor hash', async () => {
  const valid = await make('create', 'list valid');
  const revoked = await make('create', 'list revoked');
  const expired = await make('create', 'list expired', '--expires', '1h');
  await succeed('revoke', String((await recordOf(revoked)).id));
  await tables.apiKey.update({
    where: { hash: hashApiKey(expired) },
    data: { expiresAt: new Date(0) },
  });

  const list = await succeed('list');
  const records = await tables.apiKey.findMany({ orderBy: { id: 'asc' } });
  const states = new Map([
    ['list revoked', 'revoked'],
    ['list expired', 'expired'],
    ['list valid', 'valid'],
  ]);
  const rows = list.split('\n').map((line) => line.split(/ {2,}/));
  const restrictions = ['SCOPES', 'ORIGINS', 'DOCUMENTS'];
  expect(rows[0]).toEqual(['ID', 'STATE', 'CREATED', 'EXPIRES', ...restrictions, 'NAME']);
  expect(rows.filter((cells) => states.has(cells.at(-1) ?? ''))).toEqual(
    records
      .filter(({ name }) => states.has(name))
      .map(({ id, name, createdAt, expiresAt }) => [
        String(id),
        states.get(name),
        createdAt.toISOString(),
        expiresAt?.toISOString() ?? 'never',
        'all',
        'all',
        'all',
        name,
      ]),
  );
  expect(rows).toHaveLength(records.length + 2);
  for (const secret of [valid, revoked, expired]) {
    expect(list).not.toContain(secret.slice(4, 20));
    expect(list).not.toContain(hashApiKey(secret).toString('hex').slice(0, 16));
  }
});

test('revoke refuses a key from now on', async () => {
  const key = await make('create', 'leaver');
  const { id } = await recordOf(key);
  expect(await succeed('revoke', String(id))).toBe(`revoked ${id}\n`);
  expect(await statusWith(key)).toBe(401);
  expect(await listed(key)).toMatch(/^\d+ +revoked /);
});

test('rotate replaces a key by one of the same name: the old one is refused at once', async () => {
  const old = await make('create', 'turning');
  const replacement = await make('rotate', String((await recordOf(old)).id));
  expect([await statusWith(old), await statusWith(replacement)]).toEqual([401, 200]);
  expect((await recordOf(replacement)).name).toBe('turning');
  expect(await listed(old)).toMatch(/^\d+ +revoked /);
});

test('a key that rotate makes lives as long as the one it replaces did', async () => {
  const old = await recordOf(await make('create', 'visitor', '--expires', '12h'));
  const replacement = await recordOf(await make('rotate', String(old.id)));
  const lifetime = (replacement.expiresAt?.getTime() ?? 0) - replacement.createdAt.getTime();
  // Each is dated by two clocks, the command's and the database's.
  expect(Math.round(lifetime / 60_000)).toBe(12 * 60);
});

test('of two that rotate a key at the same time one succeeds', async () => {
  const { id } = await recordOf(await make('create', 'contested'));
  const rotations = [1, 2].map(() => runInProcess(keys, ['rotate', String(id)], { env }));
  const codes = (await Promise.all(rotations)).map(({ code }) => code);
  expect(new Set(codes)).toEqual(new Set([0, 1]));
  expect(await tables.apiKey.count({ where: { name: 'contested' } })).toBe(2);
});

test('rotate --grace lets both keys work until the grace is over', async () => {
  const old = await make('create', 'gracious');
  const before = Date.now();
  const replacement = await make('rotate', String((await recordOf(old)).id), '--grace', '24h');
  const { expiresAt } = await recordOf(old);
  expect(expiresAt?.getTime()).toBeGreaterThanOrEqual(before + 24 * HOUR);
  expect(expiresAt?.getTime()).toBeLessThanOrEqual(Date.now() + 24 * HOUR);
  expect([await statusWith(old), await statusWith(replacement)]).toEqual([200, 200]);
});

test('a grace never lets a key work for longer than it would have', async () => {
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
  { what: 'a turn of direction', name: 'a\u202Eb', shown: String.raw`a\u{202e}b` },
  { what: 'any script', name: 'Пёс 犬 🐕 "x"', shown: 'Пёс 犬 🐕 "x"' },
])('a name with $what is kept as it is and listed on one line', async ({ name, shown }) => {
  const key = await make('create', name);
  expect((await recordOf(key)).name).toBe(name);
  const [, listedName] =
    /^\d+ +valid +\S+Z +never(?: +all){3} +(.+)$/.exec((await listed(key)) ?? '') ?? [];
  expect(listedName).toBe(shown);
});
