import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import type { Step } from '@store-gateway/http';
import { startGateway } from '../support/gateway.ts';
import { nodeRequest, type NodeRequest, openPost } from '../support/node-request.ts';

let count = 0;
const counted: string[] = [];
/** Counts requests, and returns each request's number in a header. */
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

const POST_JSON = { 'Content-Type': 'application/json' };
const PET = { headers: POST_JSON, body: '{"name":"Tom","categoryId":1}' };
const QUERY = { headers: POST_JSON, body: '{"query":"{ pets { id } }"}' };
const LONG = `/v1/pets?name=${'x'.repeat(8000)}`;
const MANY = Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`X-${index}`, '1']));
const PREFLIGHT = { Origin: 'https://one.example', 'Access-Control-Request-Method': 'POST' };

test.each<[method: string, path: string, status: number, sent?: NodeRequest]>([
  ['GET', '/v1/pets', 200],
  ['GET', '/v1/pets/1', 200],
  ['GET', '/v1/pets/%31', 200],
  ['POST', '/v1/pets', 201, PET],
  ['HEAD', '/v1/pets', 200],
  ['DELETE', '/v1/pets', 405],
  ['GET', '/v1/pets', 401, { headers: { Authorization: 'Bearer no' } }],
  ['GET', '/v1/none', 404],
  ['GET', '/v1/openapi.json', 200],
  ['POST', '/graphql', 200, QUERY],
  ['POST', '/graphql', 200, QUERY],
  ['POST', '/graphql', 200, QUERY],
  ['POST', '/graphql/', 200, QUERY],
  ['GET', '/graphql?query={pets{id}}', 200],
  ['GET', '/docs', 200],
  ['OPTIONS', '/none', 404],
  ['OPTIONS', '/v1/pets', 204, { headers: PREFLIGHT }],
  ['GET', LONG, 414],
  ['GET', '/graphql', 431, { headers: MANY }],
  ['GET', '/v1/pets', 400, { headers: { Host: 'a b' } }],
  ['GET', '/v1/pets', 400, { headers: { 'Transfer-Encoding': 'gzip, chunked' }, body: '' }],
])('a step sees %s %.40s, which returns %i, and can respond to it itself', async (...row) => {
  const [method, path, status, sent = {}] = row;
  const isUnderstood = sent.headers?.['Transfer-Encoding'] === undefined;
  for (const how of ['pass', 'answer']) {
    counted.length = 0;
    const headers = { ...sent.headers, 'X-Refuse': how };
    const answer = await nodeRequest(gateway, path, { ...sent, method, headers });
    expect(answer.status).toBe(how === 'answer' ? 418 : status);
    expect(counted).toEqual([`${method} ${path}`]);
    expect(answer.headers.get('X-Count')).toBe(String(count));
    expect(answer.headers.get('Vary')).toContain('X-Counted');
    expect(answer.headers.get('Connection')).toBe(isUnderstood ? 'keep-alive' : 'close');
  }
});

test('a step sees a request that is rejected under overload, and can respond to it itself', async () => {
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

test('steps do not see input that Node.js cannot parse', async () => {
  counted.length = 0;
  const { port } = new URL(gateway.url);
  const socket = connect(Number(port)).end('GET / HTTP/1.1\r\nno header\r\n\r\n');
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 /);
  expect(counted).toEqual([]);
});

test.each(['/v1/pets', '/graphql', '/'])('a step can respond to %s or fail', async (path) => {
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
