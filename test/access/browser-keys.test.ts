import { request as httpRequest, type IncomingMessage } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { createKey } from '../support/keys.ts';
import { errorBody, graphqlErrorBody } from '../support/error-body.ts';
import { startGateway } from '../support/gateway.ts';
import { sendBytes } from '../support/wire.ts';

const SHOP = 'https://shop.example';
const DEV = 'http://localhost:5173';
const gateway = await startGateway({
  maximumOpenRequests: 4000,
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

test.each(READS)('a page of its origin reads %s with a key for browsers', async (path) => {
  const { status, headers } = await request(path, { headers: from(SHOP) });
  expect([status, headers.get('Vary')?.split(', ')]).toEqual([
    200,
    expect.arrayContaining(['Authorization', 'Origin']),
  ]);
});

test.each([
  ['another', 'https://evil.example'],
  ['none', undefined],
  ['null', 'null'],
  ['one without TLS', 'http://shop.example'],
  ['another port', `${SHOP}:8443`],
  ['a subdomain', 'https://www.shop.example'],
  ['one that begins alike', `${SHOP}.evil.example`],
  ['one that ends alike', 'https://myshop.example'],
  ['a path', `${SHOP}/`],
  ['other letters', 'https://Shop.example'],
])('a key for browsers is refused with %s as the origin', async (_what, origin) => {
  for (const path of READS) {
    const { status, text, headers } = await request(path, { headers: from(origin) });
    const body = path === QUERY ? graphqlErrorBody : errorBody;
    expect([path, status, text]).toEqual([path, 403, body(403, 'FORBIDDEN', FORBIDDEN)]);
    expect(headers.get('Cache-Control')).toBe('private, no-cache');
    expect(headers.get('Vary')).toContain('Origin');
    expect(headers.has('RateLimit')).toBe(true);
  }
});

test('of two Origin headers none counts', async () => {
  for (const origins of [`${SHOP}\r\nOrigin: ${SHOP}`, `${SHOP}\r\nOrigin: https://evil.example`]) {
    const head = `GET /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n`;
    const [answer] = await sendBytes(url, `${head}Origin: ${origins}\r\n\r\n`);
    expect(answer?.status).toBe(403);
  }
});

test('a key for several origins works on the pages of each, and names all of them elsewhere', async () => {
  const both = await keyFor(SHOP, DEV);
  for (const origin of [SHOP, DEV]) {
    expect((await request('/v1/pets', { headers: from(origin, both) })).status).toBe(200);
  }
  expect((await request('/v1/pets', { headers: from(undefined, both) })).json).toMatchObject({
    message: `${FORBIDDEN} or ${DEV}`,
  });
});

test.each(['/v1/pets', '/graphql'])('POST %s is refused before its body is read', async (path) => {
  const outgoing = httpRequest(url + path, {
    method: 'POST',
    headers: { ...from('https://evil.example'), 'Content-Type': 'application/json' },
  });
  onTestFinished(() => {
    outgoing.on('error', () => undefined).destroy();
  });
  const { statusCode } = await new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once('response', resolve).once('error', reject).flushHeaders();
  });
  expect(statusCode).toBe(403);
});

test('an expired or revoked key for browsers is 401, from wherever', async () => {
  const { key: expired } = await createKey(database, {
    expiresAt: new Date(0),
    origins: [SHOP],
  });
  for (const origin of [SHOP, undefined]) {
    expect((await request('/v1/pets', { headers: from(origin, expired) })).status).toBe(401);
  }
});

test('CORS goes on as the operator says, whatever the origins of keys are', async () => {
  const { headers } = await request('/v1/pets', { headers: from(SHOP) });
  expect(headers.get('Access-Control-Allow-Origin')).toBeNull();
});

test('refused requests count for the limit of their key', async () => {
  const limited = await startGateway({ rateLimit: { quota: 2, windowSeconds: 60 } });
  const { key: own } = await createKey(limited.database, { origins: [SHOP] });
  const statuses = [];
  for (const origin of [undefined, SHOP, SHOP]) {
    statuses.push((await limited.request('/v1/pets', { headers: from(origin, own) })).status);
  }
  expect(statuses).toEqual([403, 200, 429]);
});

/** What is asked for at the same time with one key, by the lines about the origin; and the status of each. */
const ASKED: readonly (readonly [lines: string, status: number])[] = [
  [`Origin: ${SHOP}\r\n`, 200],
  ['Origin: https://evil.example\r\n', 403],
  ['', 403],
  [`X-Origin: ${SHOP}\r\n`, 403],
  [`Referer: ${SHOP}/\r\n`, 403],
];

test.each(['/v1/pets', '/v1/pets?limit=1', QUERY])(
  'of many who ask for %s at once, only pages of the origin share an answer',
  async (path) => {
    const sent = Array.from({ length: 20 * ASKED.length }, async (_, index) => {
      const [lines = '', status = 0] = ASKED[index % ASKED.length] ?? [];
      const head = `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n`;
      const [answer] = await sendBytes(url, `${head}${lines}\r\n`);
      const isShown = answer?.body.includes('Rex') === true;
      return { lines, right: answer?.status === status && isShown === (status === 200) };
    });
    expect((await Promise.all(sent)).filter(({ right }) => !right)).toEqual([]);
  },
);

test('a user that a store makes of a key is restricted as the key is', async () => {
  const own = await startGateway({
    databaseUrl: gateway.databaseUrl,
    access: {
      authenticate: async (_request, byApiKey) => {
        await byApiKey();
        return { id: 7n, scopes: 'all' };
      },
    },
  });
  expect((await own.request('/v1/pets', { headers: from(undefined) })).status).toBe(403);
  expect((await own.request('/key', { headers: from(SHOP) })).json).toEqual({
    scopes: ['read'],
    origins: [SHOP],
    documentsOnly: false,
  });
  expect((await own.request('/key', { headers: from(undefined, gateway.key) })).json).toEqual({
    scopes: null,
    origins: null,
    documentsOnly: false,
  });
});
