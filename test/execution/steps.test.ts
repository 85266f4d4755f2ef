import { expect, test } from 'vitest';
import type { Step } from '@store-gateway/http';
import { startGateway } from '../support/gateway.ts';

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

test('a step sees each of the requests that share an execution, and sets headers of its response', async () => {
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
  expect(new Set(answers.map(({ headers }) => headers.get('X-Request-Id'))).size).toBe(40);
  const own = new Set(['x-count', 'x-request-id', 'date', 'ratelimit']);
  const shared = answers.map(({ headers }) => [...headers].filter(([name]) => !own.has(name)));
  expect(shared).toEqual(answers.map(() => shared[0]));
});

test.each(['/v1/pets', '/graphql', '/'])('a step of %s answers or fails', async (path) => {
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
