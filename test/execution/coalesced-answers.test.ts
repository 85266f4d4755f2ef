import { expect, test } from 'vitest';
import { createKey } from '../support/keys.ts';
import { listDeprecatedCalls } from '../../packages/gateway/src/usage/deprecated-calls.ts';
import { restAnimal } from '../support/animals.ts';
import { errorBody } from '../support/error-body.ts';
import { startGateway } from '../support/gateway.ts';
import { nodeRequest } from '../support/node-request.ts';

const ORIGINS = ['https://one.example', 'https://other.example'];

const gateway = await startGateway({ corsOrigins: ORIGINS });
const { database, deprecatedCalls, post } = gateway;
for (const name of ['Rex', 'Tom', 'Kim']) {
  await post('/v1/pets', { name, categoryId: 1 });
}
const { key: otherKey } = await createKey(database, { name: 'other' });
const LIST = '/v1/pets?limit=2';
const { headers: listHeaders, text: LISTED } = await gateway.request(LIST);
const ETAG = listHeaders.get('ETag') ?? '';
const CORS = 'Access-Control-Allow-Origin';

type Ask = Parameters<typeof nodeRequest>[2] & { readonly path?: string };

/** Sends each request `times` times, all at once and with distinct request ids; returns the answers by request. */
async function atOnce(asks: readonly Ask[], times: number) {
  const sent = Array.from({ length: times * asks.length }, async (_, index) => {
    const { path = LIST, ...ask } = asks[index % asks.length] ?? {};
    const id = `of-${index}`;
    const headers = { ...ask.headers, 'X-Request-Id': id };
    const answer = await nodeRequest(gateway, path, { ...ask, headers });
    expect(answer.headers.get('X-Request-Id')).toBe(id);
    return answer;
  });
  const answers = await Promise.all(sent);
  return asks.map((_, ask) => answers.filter((_answer, index) => index % asks.length === ask));
}

test.each([{}, { 'X-Request-Id': 'no id' }])(
  'identical requests without a valid request id each get a new id: %j',
  async (sent) => {
    const answers = await Promise.all(
      Array.from({ length: 40 }, () => nodeRequest(gateway, LIST, { headers: sent })),
    );
    const told = answers.map(({ status, text, headers }) => [
      status,
      text,
      ...[...headers].filter(([name]) => !['x-request-id', 'date', 'ratelimit'].includes(name)),
    ]);
    const expected = [200, LISTED, ...(told[0] ?? []).slice(2)];
    expect(told).toEqual(told.map(() => expected));
    const ids = answers.map(({ headers }) => headers.get('X-Request-Id') ?? '');
    expect(new Set(ids).size).toBe(40);
    ids.forEach((id) => expect(id).toMatch(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/));
  },
);

const malformed = errorBody(400, 'BAD_USER_INPUT', 'limit must be an integer between 1 and 100');

/** The request, the expected status, the start of the body, and the origin that may read it. */
const MIXED: readonly (readonly [Ask, number, string, origin?: string])[] = [
  ...ORIGINS.map((Origin) => [{ headers: { Origin } }, 200, LISTED, Origin] as const),
  [{ headers: { Origin: 'https://foreign.example' } }, 200, LISTED],
  [{}, 200, LISTED],
  [{ headers: { Authorization: `Bearer ${otherKey}` } }, 200, LISTED],
  [{ headers: { Authorization: 'Bearer no' } }, 401, '{"code":"UNAUTHENTICATED"'],
  [{ headers: { Authorization: `Bearer ${otherKey}x` } }, 401, '{"code":"UNAUTHENTICATED"'],
  [{ headers: { Accept: 'text/html' } }, 406, '{"code":"NOT_ACCEPTABLE"'],
  [{ headers: { Accept: 'application/json' } }, 200, LISTED],
  [{ headers: { 'If-None-Match': ETAG } }, 304, ''],
  [{ headers: { 'If-None-Match': '"another"' } }, 200, LISTED],
  [{ path: '/v1/pets?limit=0' }, 400, malformed],
  [{ path: '/v1/pets?limit=1' }, 200, `[${restAnimal({ id: 1 })}]`],
  [{ path: '/v1/pets?limit=1&after=1' }, 200, '[{"id":2,"name":"Tom",'],
  [{ path: '/v1/pets?status=sold' }, 200, '[]'],
  [{ method: 'HEAD' }, 200, ''],
  [{ method: 'DELETE' }, 405, '{"code":"METHOD_NOT_ALLOWED"'],
  [{ method: 'HEAD', path: '/v1/pets?limit=0' }, 400, ''],
  [{ body: '' }, 200, LISTED],
];

test('concurrent requests that differ in any way get their own responses', async () => {
  const answers = await atOnce(
    MIXED.map(([ask]) => ask),
    6,
  );
  MIXED.forEach(([ask, status, body, origin = null], index) => {
    const told = answers[index]?.map((answer) => [
      ask,
      answer.status,
      body === '' ? answer.text : answer.text.slice(0, body.length),
      answer.headers.get(CORS),
    ]);
    expect(told).toEqual(Array.from({ length: 6 }, () => [ask, status, body, origin]));
  });
  const heads = answers[MIXED.findIndex(([{ method }]) => method === 'HEAD')];
  const length = String(Buffer.byteLength(LISTED));
  expect(heads?.map(({ headers }) => headers.get('Content-Length'))).toEqual(
    Array.from({ length: 6 }, () => length),
  );
});

test('20 concurrent deprecated calls are counted as 20', async () => {
  const { key, id } = await createKey(database);
  const path = '/v1/pets/1';
  const [answers = []] = await atOnce([{ path, headers: { Authorization: `Bearer ${key}` } }], 20);
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
  await deprecatedCalls.flush();
  const counted = (await listDeprecatedCalls(database)).filter((record) => record.key.id === id);
  expect(counted.map(({ field, calls }) => [field, String(calls)])).toEqual([['pet', '20']]);
});

test("a variable of 1e400 isn't coalesced with null", async () => {
  const query = 'query($after: ID) { pets(after: $after) { name } }';
  const send = (after: string) =>
    nodeRequest(gateway, '/graphql', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: `{"query":${JSON.stringify(query)},"variables":{"after":${after}}}`,
    });
  const asked = Array.from({ length: 60 }, (_, index) => (index % 2 === 0 ? '1e400' : 'null'));
  const answers = await Promise.all(asked.map(send));
  expect(answers.map(({ text }) => text.includes('errors'))).toEqual(
    asked.map((after) => after === '1e400'),
  );
});
