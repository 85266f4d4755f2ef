import { Client, Pool } from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { isJsonObject } from '@store-gateway/ops';
import {
  findKey,
  findValidKeys,
  hashApiKey,
  listKeys,
  type Restrictions,
  restrictKey,
  rotateKey,
  UNRESTRICTED,
} from '../../packages/access/src/keys/api-keys.ts';
import { onFileFinished } from '../support/clean-up.ts';
import { createKey } from '../support/keys.ts';
import { generateApiKey } from '../support/store-database.ts';
import { startGateway } from '../support/gateway.ts';

const SHOP = 'https://shop.example';
const gateway = await startGateway({
  access: { scopes: { prices: 'See prices.' } },
  corsOrigins: [SHOP],
});
const { database, request } = gateway;
const pool = new Pool({ connectionString: gateway.databaseUrl });
onFileFinished(() => pool.end());

const as = (key: string, headers: Record<string, string> = {}): RequestInit => ({
  headers: { Authorization: `Bearer ${key}`, ...headers },
});

test.each<[string, Partial<Restrictions>, object]>([
  ['nothing', {}, { scopes: null, origins: null, documentsOnly: false }],
  [
    'scopes',
    { scopes: new Set(['write', 'prices']) },
    { scopes: ['prices', 'write'], origins: null, documentsOnly: false },
  ],
  [
    'origins, and so to no writes',
    { scopes: new Set(['read', 'write']), origins: [SHOP] },
    { scopes: ['read'], origins: [SHOP], documentsOnly: false },
  ],
  [
    'origins alone, and so to reads',
    { origins: [SHOP] },
    { scopes: ['read'], origins: [SHOP], documentsOnly: false },
  ],
  ['documents', { documentsOnly: true }, { scopes: null, origins: null, documentsOnly: true }],
  [
    'no scope at all',
    { scopes: new Set<string>() },
    { scopes: [], origins: null, documentsOnly: false },
  ],
  [
    'scopes of another version, which give nothing',
    { scopes: new Set(['read', 'discounts']) },
    { scopes: ['read'], origins: null, documentsOnly: false },
  ],
])('GET /key tells a key that it is restricted to %s', async (_what, restrictions, told) => {
  const { key } = await createKey(database, restrictions);
  const answer = await request('/key', as(key, { Origin: SHOP }));
  expect([answer.status, answer.json]).toEqual([200, told]);
});

test('GET /key is answered as any request: privately, with the limit and for pages of listed origins', async () => {
  const { headers } = await request('/key', { headers: { Origin: SHOP } });
  expect(Object.fromEntries(headers)).toMatchObject({
    'access-control-allow-origin': SHOP,
    'cache-control': 'private, no-cache',
    'content-type': 'application/json; charset=utf-8',
    ratelimit: expect.stringContaining('"key"') as unknown,
    vary: expect.stringContaining('Authorization') as unknown,
    'x-content-type-options': 'nosniff',
    'x-request-id': expect.any(String) as unknown,
  });
});

test('GET /key is for keys alone, and only to be read', async () => {
  expect(await request('/key', { headers: { Authorization: '' } })).toMatchObject({
    status: 401,
    json: { code: 'UNAUTHENTICATED' },
  });
  const head = await request('/key', { method: 'HEAD' });
  expect([head.status, head.text]).toEqual([200, '']);
  const options = await request('/key', { method: 'OPTIONS', headers: { Authorization: '' } });
  expect([options.status, options.headers.get('Allow')]).toEqual([204, 'GET, HEAD, OPTIONS']);
  const post = await request('/key', { method: 'POST' });
  expect([post.status, post.headers.get('Allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
});

test('a key beyond its limit is not told what it may do', async () => {
  const limited = await startGateway({ rateLimit: { quota: 1, windowSeconds: 60 } });
  const statuses = [await limited.request('/key'), await limited.request('/key')];
  expect(statuses.map(({ status }) => status)).toEqual([200, 429]);
});

const EACH_RESTRICTION: readonly (readonly [string, Partial<Restrictions>])[] = [
  ['scopes', { scopes: new Set(['read']) }],
  ['origins', { scopes: new Set(['read']), origins: [SHOP] }],
  ['documents', { documentsOnly: true }],
];

// What processes of the version before execute, which know no restrictions and would let these keys do everything
// (packages/access/src/keys/key-lookups.ts and key-records.ts of 0cc93493).
const OLD_FIND = `
    SELECT id, (extract(epoch FROM expires_at - now()) * 1000)::bigint,
      (extract(epoch FROM expires_at) * 1000)::bigint
    FROM _gateway_api_keys WHERE hash = $1 AND revoked_at IS NULL`;
const OLD_FIND_VALID = `
    SELECT number - 1, id FROM unnest($1::bytea[]) WITH ORDINALITY AS asked (hash, number)
    JOIN _gateway_api_keys USING (hash)
    WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())`;
const OLD_CREATE = 'INSERT INTO _gateway_api_keys (name, hash, expires_at) VALUES ($1, $2, $3)';
const OLD_LIST =
  'SELECT id, name, created_at, expires_at, revoked_at FROM _gateway_api_keys ORDER BY id';

/** How many rows processes of the version before find of a key, and of this version. */
async function foundOf(key: string): Promise<{ old: readonly unknown[]; now: readonly unknown[] }> {
  const { rowCount: one } = await pool.query(OLD_FIND, [hashApiKey(key)]);
  const { rowCount: valid } = await pool.query(OLD_FIND_VALID, [[hashApiKey(key)]]);
  const found = await findKey(database, key);
  return {
    old: [one, valid],
    now: [found === undefined ? 0 : 1, (await findValidKeys(database, [key])).length],
  };
}

test.each(EACH_RESTRICTION)(
  'processes of the version before find no key that is restricted by %s',
  async (_what, restrictions) => {
    const { key } = await createKey(database, restrictions);
    expect(await foundOf(key)).toEqual({ old: [0, 0], now: [1, 1] });
  },
);

test.each(EACH_RESTRICTION)(
  'a key that is restricted by %s later is lost to processes of the version before, until that is lifted',
  async (_what, restrictions) => {
    const { key, id } = await createKey(database);
    expect(await foundOf(key)).toEqual({ old: [1, 1], now: [1, 1] });
    const listed = (await listKeys(database)).find((each) => each.id === id);
    const changed = { ...UNRESTRICTED, ...restrictions };
    const from = { id, restrictions: listed?.restrictions ?? changed };
    // Twice, as the form of a restricted key stays as it is.
    expect(await restrictKey(database, from, changed)).toBe(true);
    expect(await restrictKey(database, { id, restrictions: changed }, changed)).toBe(true);
    expect(await foundOf(key)).toEqual({ old: [0, 0], now: [1, 1] });
    expect(await restrictKey(database, { id, restrictions: changed }, UNRESTRICTED)).toBe(true);
    expect(await foundOf(key)).toEqual({ old: [1, 1], now: [1, 1] });
  },
);

test.each(EACH_RESTRICTION)(
  'processes of the version before find no key that replaces one restricted by %s',
  async (_what, restrictions) => {
    const { id } = await createKey(database, restrictions);
    const replacement = (await rotateKey(database, id, 0)) ?? '';
    expect(await foundOf(replacement)).toEqual({ old: [0, 0], now: [1, 1] });
  },
);

test('keys that processes of the version before create may do everything, and they list all', async () => {
  const key = generateApiKey();
  await pool.query(OLD_CREATE, ['old', hashApiKey(key), null]);
  expect((await request('/key', as(key))).json).toEqual({
    scopes: null,
    origins: null,
    documentsOnly: false,
  });
  const { rowCount } = await pool.query(OLD_LIST);
  expect(rowCount).toBe((await listKeys(database)).length);
});

test('of two that restrict a key at the same time one is told that it was changed', async () => {
  const { key } = await createKey(database);
  const { id, restrictions } = (await findKey(database, key)) ?? {
    id: 0n,
    restrictions: UNRESTRICTED,
  };
  const changes = ['read', 'write'].map((name) =>
    restrictKey(database, { id, restrictions }, { ...UNRESTRICTED, scopes: new Set([name]) }),
  );
  expect(new Set(await Promise.all(changes))).toEqual(new Set([true, false]));
});

test('keys are looked up by the index', async () => {
  const queries = vi.spyOn(Client.prototype, 'query');
  await findKey(database, 'x');
  await findValidKeys(database, ['x', 'y']);
  const texts = queries.mock.calls
    .map(([statement]: readonly unknown[]) =>
      isJsonObject(statement) ? String(statement['text']) : '',
    )
    // Other pools of this process may do something for their connections at any time.
    .filter((text) => text.includes('_gateway_api_keys'));
  queries.mockRestore();
  expect(texts).toHaveLength(2);
  const client = await pool.connect();
  onTestFinished(() => {
    client.release(true);
  });
  // A table of a few keys is read as a whole otherwise.
  await client.query('SET enable_seqscan = off');
  for (const text of texts) {
    const { rows } = await client.query(`EXPLAIN (GENERIC_PLAN) ${text}`);
    expect(JSON.stringify(rows)).toMatch(/_gateway_api_keys_hash_key[^]*Index Cond/);
  }
});
