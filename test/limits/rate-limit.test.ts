import { request as nodeHttpRequest } from 'node:http';
import { expect, test } from 'vitest';
import { createKey } from '../support/keys.ts';
import { errorBody, graphqlErrorBody } from '../support/error-body.ts';
import { startGateway, type Answer } from '../support/gateway.ts';

/** 4 at once, and one more each 2 s. */
const LIMIT = { quota: 4, windowSeconds: 8 };
const MESSAGE = 'Too many requests with this API key: see Retry-After for when to continue';

let time = Date.parse('2026-11-21');
const gateway = await startGateway({ now: () => time, rateLimit: LIMIT });
const { database, request } = gateway;

/** A caller of their own. */
async function newCaller() {
  const headers = {
    Authorization: `Bearer ${(await createKey(database, { name: 'caller' })).key}`,
  };
  return {
    headers,
    list: () => request('/v1/pets', { headers }),
    graphql: (query: string) => request(`/graphql?query=${query}`, { headers }),
  };
}

function limitHeaders({ headers }: Pick<Answer, 'headers'>) {
  return ['RateLimit-Policy', 'RateLimit', 'Retry-After'].map((name) => headers.get(name));
}

const POLICY = '"key";q=4;w=8';

test('each answer tells the policy, what is left, and when there is more', async () => {
  const { list, graphql } = await newCaller();
  expect(limitHeaders(await list())).toEqual([POLICY, '"key";r=3;t=2', null]);
  expect(limitHeaders(await graphql('{pets{id}}'))).toEqual([POLICY, '"key";r=2;t=2', null]);
  time += 1000;
  expect(limitHeaders(await list())).toEqual([POLICY, '"key";r=1;t=1', null]);
  time += 100_000;
  expect(limitHeaders(await list())).toEqual([POLICY, '"key";r=3;t=2', null]);
});

test('what is refused or not found counts and tells as well', async () => {
  const { headers } = await newCaller();
  const paths = ['/v1/pets?limit=0', '/v1/pets/77777', '/v1/pets?x', '/graphql?query={'];
  const told: unknown[] = [];
  for (const path of paths) {
    const answer = await request(path, { headers });
    told.push([answer.status, answer.headers.get('RateLimit')]);
  }
  expect(told).toEqual([
    [400, '"key";r=3;t=2'],
    [404, '"key";r=2;t=2'],
    [200, '"key";r=1;t=2'],
    [200, '"key";r=0;t=2'],
  ]);
});

test('the fifth at once is 429 on both surfaces, in the shape of each', async () => {
  const { list, graphql } = await newCaller();
  for (const ask of [list, () => graphql('{pets{id}}'), list, list]) {
    expect((await ask()).status).toBe(200);
  }
  const refused = await list();
  expect([refused.status, refused.text]).toEqual([
    429,
    errorBody(429, 'TOO_MANY_REQUESTS', MESSAGE),
  ]);
  expect(limitHeaders(refused)).toEqual([POLICY, '"key";r=0;t=2', '2']);
  const alsoRefused = await graphql('{pets{id}}');
  expect([alsoRefused.status, alsoRefused.text]).toEqual([
    429,
    graphqlErrorBody(429, 'TOO_MANY_REQUESTS', MESSAGE),
  ]);
  expect(limitHeaders(alsoRefused)).toEqual([POLICY, '"key";r=0;t=2', '2']);
});

test('one more is taken whenever Retry-After says so, and no sooner, however often it is tried', async () => {
  const { list } = await newCaller();
  await Promise.all([list(), list(), list(), list()]);
  for (const [step, status] of [
    [1999, 429],
    [1, 200],
    [0, 429],
    [1000, 429],
    [1000, 200],
    [8000, 200],
    [0, 200],
  ] as const) {
    time += step;
    expect((await list()).status).toBe(status);
  }
  expect((await list()).headers.get('RateLimit')).toBe('"key";r=1;t=2');
});

test('keys know nothing of each other', async () => {
  const [one, other] = [await newCaller(), await newCaller()];
  await Promise.all([one.list(), one.list(), one.list(), one.list()]);
  expect((await one.list()).status).toBe(429);
  expect(limitHeaders(await other.list())).toEqual([POLICY, '"key";r=3;t=2', null]);
});

test('a body is not waited for when there is no room', async () => {
  const { list, headers } = await newCaller();
  await Promise.all([list(), list(), list(), list()]);
  for (const path of ['/v1/pets', '/graphql']) {
    // Of the body nothing is ever sent.
    const status = await new Promise((resolve, reject) => {
      const outgoing = nodeHttpRequest(gateway.url + path, {
        method: 'POST',
        headers: { ...headers, 'Content-Type': 'application/json', 'Content-Length': 100 },
      });
      outgoing.once('error', reject).once('response', (response) => {
        resolve(response.statusCode);
        outgoing.destroy();
      });
      outgoing.flushHeaders();
    });
    expect(status).toBe(429);
  }
});

test('without a valid key there is no limit to tell of', async () => {
  for (const authorization of ['', 'Bearer no']) {
    const answer = await request('/v1/pets', { headers: { Authorization: authorization } });
    expect([answer.status, ...limitHeaders(answer)]).toEqual([401, null, null, null]);
  }
});

test('without a policy nothing is counted, and nothing is told', async () => {
  const unlimited = await startGateway({ rateLimit: undefined });
  const answers = [await unlimited.request('/v1/pets'), await unlimited.graphql('{ pets { id } }')];
  expect(answers.map(limitHeaders)).toEqual(answers.map(() => [null, null, null]));
  expect(await unlimited.tables.rateLimitCount.count()).toBe(0);
});
