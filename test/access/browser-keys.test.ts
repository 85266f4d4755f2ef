import { expect, test } from 'vitest';
import { createKey } from '../support/keys.ts';
import { errorBody, graphqlErrorBody } from '../support/error-body.ts';
import { startGateway } from '../support/gateway.ts';
import { sendBytes } from '../support/http-answers.ts';
import { sendHead } from '../support/node-request.ts';

const SHOP = 'https://shop.example';
const DEV = 'http://localhost:5173';
const gateway = await startGateway({
  api: {
    mount: (router, { authenticate }) => {
      router.get('/report', async (incoming, response) => {
        response.end(`key ${(await authenticate(incoming, response)).name}`);
      });
    },
  },
});
const { url, database, request, post } = gateway;
await post('/v1/pets', { name: 'Rex', categoryId: 1 });

const FORBIDDEN = `This API key only works on pages of ${SHOP}`;
const keyFor = async (...origins: string[]) =>
  (await createKey(database, { scopes: new Set(['read']), origins })).key;
const key = await keyFor(SHOP);
const QUERY = `/graphql?query=${encodeURIComponent('{ pets { name } }')}`;
const READS = ['/v1/pets', '/v1/pets/1', QUERY, '/report', '/key'];

const from = (origin: string | undefined, apiKey = key): Record<string, string> => ({
  Authorization: `Bearer ${apiKey}`,
  ...(origin !== undefined && { Origin: origin }),
});

test.each(READS)('a browser key can read %s from a page of its origin', async (path) => {
  const { status, headers } = await request(path, { headers: from(SHOP) });
  expect([status, headers.get('Vary')?.split(', ')]).toEqual([
    200,
    expect.arrayContaining(['Authorization', 'Origin']),
  ]);
});

test.each([
  ['a different origin', 'https://evil.example'],
  ['no value', undefined],
  ['null', 'null'],
  ['an origin without TLS', 'http://shop.example'],
  ['a different port', `${SHOP}:8443`],
  ['a subdomain', 'https://www.shop.example'],
  ['an origin with the same beginning', `${SHOP}.evil.example`],
  ['an origin with the same end', 'https://myshop.example'],
  ['a path', `${SHOP}/`],
  ['a capital letter', 'https://Shop.example'],
])('a browser key is rejected with %s in the Origin header', async (_what, origin) => {
  for (const path of READS) {
    const { status, text, headers } = await request(path, { headers: from(origin) });
    const body = path === QUERY ? graphqlErrorBody : errorBody;
    expect([path, status, text]).toEqual([path, 403, body(403, 'FORBIDDEN', FORBIDDEN)]);
    expect(headers.get('Cache-Control')).toBe('private, no-cache');
    expect(headers.get('Vary')).toContain('Origin');
    expect(headers.has('RateLimit')).toBe(true);
  }
});

test('a request with a browser key and two Origin headers is rejected', async () => {
  for (const origins of [`${SHOP}\r\nOrigin: ${SHOP}`, `${SHOP}\r\nOrigin: https://evil.example`]) {
    const head = `GET /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n`;
    const [answer] = await sendBytes(url, `${head}Origin: ${origins}\r\n\r\n`);
    expect(answer?.status).toBe(403);
  }
});

test('a browser key works from each of its origins, and its 403 from elsewhere lists all of them', async () => {
  const both = await keyFor(SHOP, DEV);
  for (const origin of [SHOP, DEV]) {
    expect((await request('/v1/pets', { headers: from(origin, both) })).status).toBe(200);
  }
  expect((await request('/v1/pets', { headers: from(undefined, both) })).json).toMatchObject({
    message: `${FORBIDDEN} or ${DEV}`,
  });
});

test.each(['/v1/pets', '/graphql'])(
  'POST %s with a browser key from a different origin is rejected before its body is read',
  async (path) => {
    const headers = { ...from('https://evil.example'), 'Content-Type': 'application/json' };
    expect(await sendHead(url + path, headers)).toMatchObject({ status: 403 });
  },
);

test('an expired browser key gets 401 from any origin', async () => {
  const { key: expired } = await createKey(database, {
    expiresAt: new Date(0),
    origins: [SHOP],
  });
  for (const origin of [SHOP, undefined]) {
    expect((await request('/v1/pets', { headers: from(origin, expired) })).status).toBe(401);
  }
});

test('a browser key’s origins do not enable CORS', async () => {
  const { headers } = await request('/v1/pets', { headers: from(SHOP) });
  expect(headers.get('Access-Control-Allow-Origin')).toBeNull();
});

test('rejected requests from other origins count towards a browser key’s rate limit', async () => {
  const limited = await startGateway({ rateLimit: { quota: 2, windowSeconds: 60 } });
  const { key: own } = await createKey(limited.database, { origins: [SHOP] });
  const statuses = [];
  for (const origin of [undefined, SHOP, SHOP]) {
    statuses.push((await limited.request('/v1/pets', { headers: from(origin, own) })).status);
  }
  expect(statuses).toEqual([403, 200, 429]);
});
