import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import type { Step } from '@store-gateway/http';
import { startGateway } from '../support/gateway.ts';
import { openPost, nodeRequest } from '../support/node-request.ts';

let count = 0;
const counted: string[] = [];
/** Counts requests, and gives each of them its number. */
const countRequests: Step = (request, response, next) => {
  count += 1;
  counted.push(`${request.method} ${request.url}`);
  response.setHeader('X-Count', count);
  response.appendHeader('Vary', 'X-Counted');
  next();
};
const refuse: Step = async (request, response, next) => {
  await Promise.resolve();
  if (request.headers['x-refuse'] === 'throw') {
    throw new Error('secret');
  }
  if (request.headers['x-refuse'] === 'answer') {
    response.writeHead(418).end('refused');
    return;
  }
  next(request.headers['x-refuse'] === 'next' ? new Error('secret') : undefined);
};
const gateway = await startGateway({
  api: { steps: [countRequests, refuse] },
  corsOrigins: ['https://one.example'],
});
await gateway.post('/v1/pets', { name: 'Rex', categoryId: 1 });

const QUERY = '/graphql?query={pets{id}}';
const POST = { method: 'POST', headers: { 'Content-Type': 'application/json' } };

test.each<[string, RequestInit, number]>([
  ['/v1/pets', {}, 200],
  ['/v1/pets/1', {}, 200],
  ['/v1/pets/%31', {}, 200],
  ['/v1/pets', { ...POST, body: '{"name":"Tom","categoryId":1}' }, 201],
  ['/v1/pets', { method: 'HEAD' }, 200],
  ['/v1/pets', { method: 'DELETE' }, 405],
  ['/v1/pets', { headers: { Authorization: 'Bearer no' } }, 401],
  ['/v1/none', {}, 404],
  ['/v1/openapi.json', {}, 200],
  ['/graphql', { ...POST, body: '{"query":"{ pets { id } }"}' }, 200],
  ['/graphql', { ...POST, body: '{"query":"{ pets { id } }"}' }, 200],
  ['/graphql', { ...POST, body: '{"query":"{ pets { id } }"}' }, 200],
  ['/graphql/', { ...POST, body: '{"query":"{ pets { id } }"}' }, 200],
  [QUERY, {}, 200],
  ['/docs', {}, 200],
  ['/none', { method: 'OPTIONS' }, 404],
])('a step sees %s, %o', async (path, init, status) => {
  counted.length = 0;
  const answer = await gateway.request(path, init);
  expect(answer.status).toBe(status);
  expect(counted).toEqual([`${init.method ?? 'GET'} ${path}`]);
  expect(answer.headers.get('X-Count')).toBe(String(count));
  expect(answer.headers.get('Vary')).toContain('X-Counted');
});

const LONG = `/v1/pets?name=${'x'.repeat(8000)}`;
const MANY = Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`X-${index}`, '1']));
const PREFLIGHT = { Origin: 'https://one.example', 'Access-Control-Request-Method': 'POST' };

test.each([
  ['with a long URL', 'GET', LONG, {}, 414],
  ['with many headers', 'GET', '/graphql', MANY, 431],
  ['without a valid host', 'GET', '/v1/pets', { Host: 'a b' }, 400],
  [
    'with an unknown transfer coding',
    'GET',
    '/v1/pets',
    { 'Transfer-Encoding': 'gzip, chunked' },
    400,
  ],
  ['that is a preflight', 'OPTIONS', '/v1/pets', PREFLIGHT, 204],
])(
  'a step sees a request %s, and can respond itself',
  async (_what, method, path, headers, status) => {
    const isUnderstood = !('Transfer-Encoding' in headers);
    const body = isUnderstood ? {} : { body: '' };
    for (const how of ['pass', 'answer']) {
      counted.length = 0;
      const sent = { method, headers: { ...headers, 'X-Refuse': how }, ...body };
      const answer = await nodeRequest(gateway, path, sent);
      expect(answer.status).toBe(how === 'answer' ? 418 : status);
      expect(counted).toEqual([`${method} ${path}`]);
      expect(answer.headers.get('X-Count')).toBe(String(count));
      expect(answer.headers.get('Connection')).toBe(isUnderstood ? 'keep-alive' : 'close');
    }
  },
);

test('a step sees a request that is rejected under overload, and can respond itself', async () => {
  const busy = await startGateway({
    api: { steps: [countRequests, refuse] },
    maximumOpenRequests: 4,
  });
  await busy.request('/v1/pets');
  const opened = await Promise.all([1, 2].map(() => openPost(busy, '/v1/pets')));
  counted.length = 0;
  const rejected = await busy.request('/v1/pets');
  const answered = await busy.request('/v1/pets', { headers: { 'X-Refuse': 'answer' } });
  expect([rejected.status, answered.status]).toEqual([503, 418]);
  expect(counted).toEqual(['GET /v1/pets', 'GET /v1/pets']);
  opened.forEach((post) => post.once('error', () => undefined).destroy());
});

test("no step sees input that Node.js can't parse", async () => {
  counted.length = 0;
  const { port } = new URL(gateway.url);
  const socket = connect(Number(port)).end('GET / HTTP/1.1\r\nno header\r\n\r\n');
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 /);
  expect(counted).toEqual([]);
});

test('a step sees each of the requests that share an execution, and sets its response headers', async () => {
  counted.length = 0;
  const first = count + 1;
  const answers = await Promise.all(
    Array.from({ length: 40 }, () =>
      gateway.request('/v1/pets?limit=1', { headers: { Origin: 'https://one.example' } }),
    ),
  );
  expect(counted).toHaveLength(40);
  const numbers = answers.map(({ headers }) => Number(headers.get('X-Count')));
  expect(numbers.toSorted((a, b) => a - b)).toEqual(answers.map((_, index) => first + index));
});

test.each(['/v1/pets', '/graphql', '/'])('a step of %s can respond or fail', async (path) => {
  const send = (how: string) =>
    gateway.request(path, { headers: { 'X-Refuse': how, Origin: 'https://one.example' } });
  const answered = await send('answer');
  expect([answered.status, answered.text]).toEqual([418, 'refused']);
  expect(answered.headers.get('Access-Control-Allow-Origin')).toBe('https://one.example');
  expect(answered.headers.has('X-Request-Id')).toBe(true);
  for (const how of ['throw', 'next']) {
    const failed = await send(how);
    expect(failed.status).toBe(500);
    expect(failed.text).not.toContain('secret');
    expect(failed.text).toContain('INTERNAL_SERVER_ERROR');
    expect(failed.text.startsWith('{"errors"')).toBe(path === '/graphql');
  }
});
