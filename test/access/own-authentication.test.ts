import type { Access, Identity } from '../../packages/gateway/src/definition.ts';
import { codedError } from '@store-gateway/ops/errors';
import { type Caller, hasScope } from '../../packages/access/src/keys/api-keys.ts';
import { createKey } from '../support/keys.ts';
import { expect, test } from 'vitest';
import { captureLog } from '../support/captured-log.ts';
import { errorBody } from '../support/error-body.ts';
import { startGateway } from '../support/gateway.ts';

/** The store's own users, by session token. Other callers may use an API key. */
const USERS = new Map<string, Identity>([
  ['ann', { id: 1n, scopes: 'all', claims: { plan: 'small' } }],
  ['bob', { id: 2n, scopes: 'all' }],
  ['eve', { id: 0n, scopes: 'all' }],
]);
const access: Partial<Access> = {
  authenticate: async (request, byApiKey) => {
    const { authorization = '', cookie = '' } = request.headers;
    const name = /^(?:Bearer |session=)(ann|bob|eve|nobody)$/.exec(authorization || cookie)?.[1];
    if (authorization === 'Bearer expired') {
      throw codedError('UNAUTHENTICATED', 'The session is over');
    }
    if (name !== undefined) {
      return USERS.get(name);
    }
    return { ...(await byApiKey()), claims: undefined };
  },
  rateLimitOf: ({ claims }, standard) =>
    claims === undefined ? standard : { quota: 3, windowSeconds: 60 },
};

const gateway = await startGateway({ access });
const { request } = gateway;
let handled = 0;
const mounting = await startGateway({
  access: { scopes: { prices: 'See prices.' } },
  api: {
    mount: (router, { authenticate }) => {
      router.all('/report', async (incoming, response) => {
        const caller = await authenticate(incoming, response);
        handled += 1;
        response.end(hasScope(caller, 'prices') ? 'with prices' : 'without');
      });
    },
  },
});
const log = captureLog();
const as = (name: string) => ({ headers: { Authorization: `Bearer ${name}` } });

const create = (init: { headers: Record<string, string> }, name: string) =>
  request('/v1/pets', {
    method: 'POST',
    headers: { ...init.headers, 'Content-Type': 'application/json', 'Idempotency-Key': '"one"' },
    body: JSON.stringify({ name, categoryId: 1 }),
  });

test('both APIs accept the store’s own users, whichever header identifies them', async () => {
  expect((await request('/v1/pets', as('bob'))).status).toBe(200);
  expect((await request('/graphql?query={pets{id}}', as('bob'))).status).toBe(200);
  const byCookie = { headers: { Authorization: '', Cookie: 'session=bob' } };
  expect((await request('/v1/pets/7', byCookie)).status).toBe(404);
  const line = await log.line((text) => text.includes('"path":"/v1/pets/7"'));
  expect(JSON.parse(line)).toMatchObject({ keyId: '-2' });
});

test('if authenticate returns no caller, both APIs return a 401 that does not mention API keys', async () => {
  for (const path of ['/v1/pets', '/graphql?query={pets{id}}']) {
    const { status, text } = await request(path, as('nobody'));
    expect(status).toBe(401);
    expect(text).toContain('The request has no valid credentials');
  }
});

test('a 401 has the message of the error that authenticate throws', async () => {
  expect(await request('/v1/pets', as('expired'))).toMatchObject({
    status: 401,
    json: { code: 'UNAUTHENTICATED', message: 'The session is over' },
  });
});

test('a store with its own users still accepts valid API keys and rejects invalid ones', async () => {
  expect((await request('/v1/pets/8')).status).toBe(404);
  const line = await log.line((each) => each.includes('"path":"/v1/pets/8"'));
  expect(JSON.parse(line)).toMatchObject({ keyId: '1' });
  const { status, text } = await request('/v1/pets', as('wrong'));
  expect([status, text]).toEqual([401, expect.stringContaining('The API key is not valid')]);
});

test('a user and an API key with the same id do not share idempotency keys', async () => {
  const { key } = await createKey(gateway.database, { name: 'second' });
  const byKey = await create(as(key), 'of the key');
  const byUser = await create(as('bob'), 'of the user');
  expect([byKey.status, byUser.status]).toEqual([201, 201]);
  expect(await create(as('bob'), 'of the user')).toMatchObject({ status: 201, json: byUser.json });
  expect((await create(as('bob'), 'another')).status).toBe(422);
});

test('each caller has the rate limit that rateLimitOf returns', async () => {
  const answers = [];
  for (let count = 0; count < 4; count += 1) {
    answers.push(await request('/v1/pets', as('ann')));
  }
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
  expect(answers[0]?.headers.get('RateLimit-Policy')).toBe('"key";q=3;w=60');
  const { status, headers } = await request('/v1/pets', as('bob'));
  expect([status, headers.get('RateLimit-Policy')]).toEqual([200, '"key";q=60000;w=60']);
});

test('an invalid id from authenticate returns 500 and is logged', async () => {
  expect(await request('/v1/pets', as('eve'))).toMatchObject({
    status: 500,
    json: { code: 'INTERNAL_SERVER_ERROR' },
  });
  await log.line((text) =>
    text.includes('authenticate must return an id from 1 to 2^63 - 1, not 0'),
  );
});

test('authenticate can restrict the caller of a key further, but cannot lift the key’s restrictions', async () => {
  let remembered: Caller | undefined;
  const narrowing = await startGateway({
    access: {
      authenticate: async ({ headers: { restrict } }, byApiKey) => {
        if (restrict === 'as before') {
          return remembered;
        }
        const caller = await byApiKey();
        switch (restrict) {
          case 'scopes':
            return { ...caller, scopes: new Set(['read']) };
          case 'origins':
            return { ...caller, origins: ['https://shop.example'] };
          case 'documents':
            return (remembered = { ...caller, documentsOnly: true });
          default:
            return { ...caller, scopes: 'all', origins: null, documentsOnly: false };
        }
      },
    },
  });
  const remove = (headers: Record<string, string>) =>
    narrowing.request('/v1/pets/404', { method: 'DELETE', headers });
  const statuses = [];
  for (const restrict of ['scopes', 'origins', 'documents', 'as before', 'nothing']) {
    statuses.push((await remove({ restrict })).status);
  }
  expect(statuses).toEqual([403, 403, 403, 403, 404]);
  const { key: reader } = await createKey(narrowing.database, { scopes: new Set(['read']) });
  expect((await remove({ Authorization: `Bearer ${reader}` })).status).toBe(403);
  const { key: ofPages } = await createKey(narrowing.database, {
    scopes: new Set(['read']),
    origins: ['https://shop.example'],
  });
  const headers = { Authorization: `Bearer ${ofPages}` };
  expect((await narrowing.request('/v1/pets', { headers })).status).toBe(403);
});

test('authenticate is called for each of several identical concurrent requests', async () => {
  let asked = 0;
  const counting = await startGateway({
    access: {
      authenticate: async () => {
        asked += 1;
        await Promise.resolve();
        return { id: 1n, scopes: 'all' as const };
      },
    },
  });
  await Promise.all(Array.from({ length: 20 }, () => counting.request('/v1/pets')));
  expect(asked).toBe(20);
});

const keyWith = async (...scopes: string[]) =>
  (await createKey(mounting.database, { scopes: new Set(scopes) })).key;

const KEYS = {
  all: mounting.key,
  read: await keyWith('read'),
  write: await keyWith('write'),
  prices: await keyWith('prices'),
  both: await keyWith('read', 'prices'),
  none: await keyWith(),
};

test.each<[method: string, scopes: keyof typeof KEYS, lacking?: string]>([
  ['GET', 'all'],
  ['GET', 'read'],
  ['GET', 'both'],
  ['HEAD', 'read'],
  ['POST', 'all'],
  ['POST', 'write'],
  ['DELETE', 'write'],
  ['GET', 'write', 'read'],
  ['HEAD', 'write', 'read'],
  ['GET', 'prices', 'read'],
  ['GET', 'none', 'read'],
  ['POST', 'read', 'write'],
  ['PUT', 'both', 'write'],
  ['PATCH', 'prices', 'write'],
  ['DELETE', 'none', 'write'],
])(
  'a %s by a key with the scopes "%s" reaches a mounted handler, unless the key lacks the scope %s',
  async (method, scopes, lacking) => {
    const before = handled;
    const headers = { Authorization: `Bearer ${KEYS[scopes]}` };
    const answer = await mounting.request('/report', { method, headers });
    const challenge = `Bearer error="insufficient_scope", scope="${lacking}"`;
    expect([answer.status, handled - before, answer.headers.get('WWW-Authenticate')]).toEqual(
      lacking === undefined ? [200, 1, null] : [403, 0, challenge],
    );
    const handledText = scopes === 'all' || scopes === 'both' ? 'with prices' : 'without';
    const refusal = errorBody(403, 'FORBIDDEN', `This request needs the scope ${lacking}`);
    const text = lacking === undefined ? handledText : refusal;
    expect(answer.text).toBe(method === 'HEAD' ? '' : text);
  },
);
