import { expect, test } from 'vitest';
import { createKey } from '../support/keys.ts';
import { errorBody, graphqlErrorBody } from '../support/error-body.ts';
import { startGateway, type Answer } from '../support/gateway.ts';
import { nodeRequest, sendHead } from '../support/node-request.ts';

/** 4 requests at once, and one more every 2 s. */
const LIMIT = { quota: 4, windowSeconds: 8 };
const MESSAGE = 'Too many requests with this API key: see Retry-After for when to continue';

let time = Date.parse('2026-11-21');
const gateway = await startGateway({ now: () => time, rateLimit: LIMIT });
const { database, request } = gateway;

/** Creates a caller with a new API key. */
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

test('each response reports the policy, the remaining requests, and when more become available', async () => {
  const { list, graphql } = await newCaller();
  expect(limitHeaders(await list())).toEqual([POLICY, '"key";r=3;t=2', null]);
  expect(limitHeaders(await graphql('{pets{id}}'))).toEqual([POLICY, '"key";r=2;t=2', null]);
  time += 1000;
  expect(limitHeaders(await list())).toEqual([POLICY, '"key";r=1;t=1', null]);
  time += 100_000;
  expect(limitHeaders(await list())).toEqual([POLICY, '"key";r=3;t=2', null]);
});

test('rejected requests also count towards the limit', async () => {
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

test('one more request is accepted after Retry-After, and not before, however often it is sent', async () => {
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

test('a request beyond the limit is rejected before its body arrives', async () => {
  const { list, headers } = await newCaller();
  await Promise.all([list(), list(), list(), list()]);
  for (const path of ['/v1/pets', '/graphql']) {
    // The body is never sent.
    const sent = { ...headers, 'Content-Type': 'application/json', 'Content-Length': 100 };
    expect(await sendHead(gateway.url + path, sent)).toMatchObject({ status: 429 });
  }
});

test('the response to a request without a valid key has no rate limit headers', async () => {
  for (const authorization of ['', 'Bearer no']) {
    const answer = await request('/v1/pets', { headers: { Authorization: authorization } });
    expect([answer.status, ...limitHeaders(answer)]).toEqual([401, null, null, null]);
  }
});

test('without a rate limit, requests are not counted and responses do not have rate limit headers', async () => {
  const unlimited = await startGateway({ rateLimit: undefined });
  const answers = [await unlimited.request('/v1/pets'), await unlimited.graphql('{ pets { id } }')];
  expect(answers.map(limitHeaders)).toEqual(answers.map(() => [null, null, null]));
  expect(await unlimited.tables.rateLimitCount.count()).toBe(0);
});

const QUOTA = 30;
const still = await startGateway({
  now: () => 0,
  rateLimit: { quota: QUOTA, windowSeconds: 60 },
});

/** Sends 1.5 times as many requests as the quota, all at once. */
async function beyondTheQuota(path: string) {
  const Authorization = `Bearer ${(await createKey(still.database, { name: 'caller' })).key}`;
  const asked = Array.from({ length: QUOTA * 1.5 }, () =>
    nodeRequest(still, path, { headers: { Authorization } }),
  );
  const answers = await Promise.all(asked);
  return {
    allowed: answers.filter(({ status }) => status !== 429),
    refused: answers.filter(({ status }) => status === 429),
  };
}

const MALFORMED = errorBody(400, 'BAD_USER_INPUT', 'limit must be an integer between 1 and 100');

test.each([
  ['/v1/pets', 200, '[]'],
  ['/v1/pets?limit=0', 400, MALFORMED],
  ['/graphql?query={pets{id}}', 200, '{"data":{"pets":[]}}'],
])(
  'concurrent requests for %s are answered up to the quota, each with the number of remaining requests',
  async (path, status, text) => {
    const { allowed, refused } = await beyondTheQuota(path);
    expect(allowed.map((answer) => [answer.status, answer.text])).toEqual(
      allowed.map(() => [status, text]),
    );
    expect(allowed).toHaveLength(QUOTA);
    const told = allowed.map(({ headers }) => headers.get('RateLimit'));
    const left = Array.from({ length: QUOTA }, (_, index) => `"key";r=${index};t=2`);
    expect(new Set(told)).toEqual(new Set(left));
    const alike = refused.map((answer) =>
      limitHeaders(answer).concat(answer.headers.get('Content-Type'), answer.text),
    );
    const shape = path.startsWith('/v1') ? errorBody : graphqlErrorBody;
    expect(alike).toEqual(
      Array.from({ length: QUOTA / 2 }, () => [
        `"key";q=${QUOTA};w=60`,
        '"key";r=0;t=2',
        '2',
        'application/json; charset=utf-8',
        shape(429, 'TOO_MANY_REQUESTS', MESSAGE),
      ]),
    );
  },
);
