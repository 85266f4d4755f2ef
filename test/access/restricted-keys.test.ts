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
  [
    'origins and the scope write',
    { scopes: new Set(['read', 'write']), origins: [SHOP] },
    { scopes: ['read'], origins: [SHOP], documentsOnly: false },
  ],
  ['no scopes', { scopes: new Set<string>() }, { scopes: [], origins: null, documentsOnly: false }],
  [
    'a scope from a different version',
    { scopes: new Set(['read', 'discounts']) },
    { scopes: ['read'], origins: null, documentsOnly: false },
  ],
])('GET /key returns the restrictions of a key with %s', async (_what, restrictions, told) => {
  const { key } = await createKey(database, restrictions);
  const answer = await request('/key', as(key, { Origin: SHOP }));
  expect([answer.status, answer.json]).toEqual([200, told]);
});

test('GET /key has the same cache, rate limit and CORS headers as other requests', async () => {
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

test.each([
  ['GET', '', 401, null],
  ['HEAD', undefined, 200, null],
  ['OPTIONS', '', 204, 'GET, HEAD, OPTIONS'],
  ['POST', undefined, 405, 'GET, HEAD, OPTIONS'],
])('%s /key with the Authorization header %j returns %i', async (method, given, status, allow) => {
  const headers = given === undefined ? {} : { Authorization: given };
  const answer = await request('/key', { method, headers });
  expect([answer.status, answer.headers.get('Allow')]).toEqual([status, allow]);
});

test('GET /key beyond the rate limit returns 429', async () => {
  const limited = await startGateway({ rateLimit: { quota: 1, windowSeconds: 60 } });
  const statuses = [await limited.request('/key'), await limited.request('/key')];
  expect(statuses.map(({ status }) => status)).toEqual([200, 429]);
});

// Statements from the previous version, which does not support restrictions and would accept these keys for everything
// (packages/access/src/keys/key-lookups.ts and key-records.ts in 0cc93493).
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

/** Counts the rows that the previous version's statements and the current ones find for a key. */
async function foundOf(key: string): Promise<{ old: readonly unknown[]; now: readonly unknown[] }> {
  const { rowCount: one } = await pool.query(OLD_FIND, [hashApiKey(key)]);
  const { rowCount: valid } = await pool.query(OLD_FIND_VALID, [[hashApiKey(key)]]);
  const found = await findKey(database, key);
  return {
    old: [one, valid],
    now: [found === undefined ? 0 : 1, (await findValidKeys(database, [key])).length],
  };
}

test.each<[what: string, restrictions: Partial<Restrictions>]>([
  ['scopes', { scopes: new Set(['read']) }],
  ['origins', { scopes: new Set(['read']), origins: [SHOP] }],
  ['documents', { documentsOnly: true }],
])(
  'processes of the previous version find neither a key restricted by %s nor its replacement',
  async (_what, restrictions) => {
    const [hidden, found] = [
      { old: [0, 0], now: [1, 1] },
      { old: [1, 1], now: [1, 1] },
    ];
    const made = await createKey(database, restrictions);
    expect(await foundOf(made.key)).toEqual(hidden);
    const replacement = (await rotateKey(database, made.id, 0)) ?? '';
    expect(await foundOf(replacement)).toEqual(hidden);
    const { key, id } = await createKey(database);
    expect(await foundOf(key)).toEqual(found);
    const changed = { ...UNRESTRICTED, ...restrictions };
    const restrict = (from: Restrictions, to: Restrictions) =>
      restrictKey(database, { id, restrictions: from }, to);
    // The second call checks that restricting a key again does not add a second prefix to its stored hash.
    expect(await restrict(UNRESTRICTED, changed)).toBe(true);
    expect(await restrict(changed, changed)).toBe(true);
    expect(await foundOf(key)).toEqual(hidden);
    expect(await restrict(changed, UNRESTRICTED)).toBe(true);
    expect(await foundOf(key)).toEqual(found);
  },
);

test('keys created by the previous version are unrestricted, and that version lists all keys', async () => {
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

test('of two concurrent changes to a key’s restrictions, one reports that the key has changed', async () => {
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

test('API keys are looked up by an index on their hash', async () => {
  const queries = vi.spyOn(Client.prototype, 'query');
  await findKey(database, 'x');
  await findValidKeys(database, ['x', 'y']);
  const texts = queries.mock.calls
    .map(([statement]: readonly unknown[]) =>
      isJsonObject(statement) ? String(statement['text']) : '',
    )
    // Other pools in this process may run statements for their connections at any time.
    .filter((text) => text.includes('_gateway_api_keys'));
  queries.mockRestore();
  expect(texts).toHaveLength(2);
  const client = await pool.connect();
  onTestFinished(() => {
    client.release(true);
  });
  // Otherwise, PostgreSQL scans a table with so few keys sequentially.
  await client.query('SET enable_seqscan = off');
  for (const text of texts) {
    const { rows } = await client.query(`EXPLAIN (GENERIC_PLAN) ${text}`);
    expect(JSON.stringify(rows)).toMatch(/_gateway_api_keys_hash_key[^]*Index Cond/);
  }
});
