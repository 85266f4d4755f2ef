import type { Access, Identity } from '../../packages/gateway/src/definition.ts';
import { codedError } from '@store-gateway/ops/errors';
import type { Caller } from '../../packages/access/src/keys/api-keys.ts';
import { createKey } from '../support/keys.ts';
import { expect, test } from 'vitest';
import { captureLog } from '../support/captured-log.ts';
import { startGateway } from '../support/gateway.ts';

/** A store's own users, by the tokens of their sessions; whoever has none may have an API key. */
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
const log = captureLog();
const as = (name: string) => ({ headers: { Authorization: `Bearer ${name}` } });

const create = (init: { headers: Record<string, string> }, name: string) =>
  request('/v1/pets', {
    method: 'POST',
    headers: { ...init.headers, 'Content-Type': 'application/json', 'Idempotency-Key': '"one"' },
    body: JSON.stringify({ name, categoryId: 1 }),
  });

test('users of the store’s own are callers on both surfaces, by whatever header', async () => {
  expect((await request('/v1/pets', as('bob'))).status).toBe(200);
  expect((await request('/graphql?query={pets{id}}', as('bob'))).status).toBe(200);
  const byCookie = { headers: { Authorization: '', Cookie: 'session=bob' } };
  expect((await request('/v1/pets/7', byCookie)).status).toBe(404);
  const line = await log.line((text) => text.includes('"path":"/v1/pets/7"'));
  expect(JSON.parse(line)).toMatchObject({ keyId: '-2' });
});

test('whoever is nobody is told so on both surfaces, and not which key to make', async () => {
  for (const path of ['/v1/pets', '/graphql?query={pets{id}}']) {
    const { status, text } = await request(path, as('nobody'));
    expect(status).toBe(401);
    expect(text).toContain('The request has no valid credentials');
  }
});

test('a reason of the store’s own is told', async () => {
  expect(await request('/v1/pets', as('expired'))).toMatchObject({
    status: 401,
    json: { code: 'UNAUTHENTICATED', message: 'The session is over' },
  });
});

test('API keys go on, and are refused as ever', async () => {
  expect((await request('/v1/pets/8')).status).toBe(404);
  const line = await log.line((each) => each.includes('"path":"/v1/pets/8"'));
  expect(JSON.parse(line)).toMatchObject({ keyId: '1' });
  const { status, text } = await request('/v1/pets', as('wrong'));
  expect([status, text]).toEqual([401, expect.stringContaining('The API key is not valid')]);
});

test('a user and the API key of the same id share neither idempotency keys nor limits', async () => {
  const { key } = await createKey(gateway.database, { name: 'second' });
  const byKey = await create(as(key), 'of the key');
  const byUser = await create(as('bob'), 'of the user');
  expect([byKey.status, byUser.status]).toEqual([201, 201]);
  expect(await create(as('bob'), 'of the user')).toMatchObject({ status: 201, json: byUser.json });
  expect((await create(as('bob'), 'another')).status).toBe(422);
});

test('each caller has the limit that the store gives it', async () => {
  const answers = [];
  for (let count = 0; count < 4; count += 1) {
    answers.push(await request('/v1/pets', as('ann')));
  }
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
  expect(answers[0]?.headers.get('RateLimit-Policy')).toBe('"key";q=3;w=60');
  const { status, headers } = await request('/v1/pets', as('bob'));
  expect([status, headers.get('RateLimit-Policy')]).toEqual([200, '"key";q=60000;w=60']);
});

test('an id that is none is a fault of the store, not of the caller', async () => {
  expect(await request('/v1/pets', as('eve'))).toMatchObject({
    status: 500,
    json: { code: 'INTERNAL_SERVER_ERROR' },
  });
  await log.line((text) => text.includes('authenticate must return an id of 1 to 2^63 - 1, not 0'));
});

test('what a store restricts the holder of a key to holds, and it can give it nothing', async () => {
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
});

test('each of identical requests is authenticated', async () => {
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
