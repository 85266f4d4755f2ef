import { expect, test } from 'vitest';
import { createKey } from '../support/keys.ts';
import { errorBody, graphqlErrorBody } from '../support/error-body.ts';
import { startGateway } from '../support/gateway.ts';
import { nodeRequest } from '../support/node-request.ts';

const QUOTA = 30;
const REFUSED = 'Too many requests with this API key: see Retry-After for when to continue';
const gateway = await startGateway({
  now: () => 0,
  rateLimit: { quota: QUOTA, windowSeconds: 60 },
});

/** Sends the same at once, as often as the quota goes, and half as often again. */
async function beyondTheQuota(path: string) {
  const Authorization = `Bearer ${(await createKey(gateway.database, { name: 'caller' })).key}`;
  const asked = Array.from({ length: QUOTA * 1.5 }, () =>
    nodeRequest(gateway, path, { headers: { Authorization } }),
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
  'of many that ask for %s at once as many are answered as the quota goes, each told what is left',
  async (path, status, text) => {
    const { allowed, refused } = await beyondTheQuota(path);
    expect(allowed.map((answer) => [answer.status, answer.text])).toEqual(
      allowed.map(() => [status, text]),
    );
    expect(allowed).toHaveLength(QUOTA);
    const told = allowed.map(({ headers }) => headers.get('RateLimit'));
    const left = Array.from({ length: QUOTA }, (_, index) => `"key";r=${index};t=2`);
    expect(new Set(told)).toEqual(new Set(left));
    const alike = refused.map(({ headers, text: body }) => [
      headers.get('RateLimit-Policy'),
      headers.get('RateLimit'),
      headers.get('Retry-After'),
      headers.get('Content-Type'),
      body,
    ]);
    const shape = path.startsWith('/v1') ? errorBody : graphqlErrorBody;
    expect(alike).toEqual(
      Array.from({ length: QUOTA / 2 }, () => [
        `"key";q=${QUOTA};w=60`,
        '"key";r=0;t=2',
        '2',
        'application/json; charset=utf-8',
        shape(429, 'TOO_MANY_REQUESTS', REFUSED),
      ]),
    );
  },
);
