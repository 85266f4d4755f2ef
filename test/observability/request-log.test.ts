import { generateApiKey } from '../support/store-database.ts';
import { Client } from 'pg';
import { expect, test } from 'vitest';
import { isJsonObject } from '@store-gateway/ops';
import { hashApiKey } from '../../packages/access/src/keys/api-keys.ts';
import { captureLog } from '../support/captured-log.ts';
import { errorBody } from '../support/error-body.ts';
import { startGateway } from '../support/gateway.ts';
import { openPost } from '../support/open-post.ts';

const gateway = await startGateway();
const { databaseUrl, key } = gateway;
const log = captureLog();
const unknownKey = generateApiKey();
const hash = hashApiKey(key);
const secrets = [key, unknownKey, hash.toString('hex'), hash.toString('base64')];
const JSON_BODY = { 'Content-Type': 'application/json' };

let requests = 0;

interface Sent extends RequestInit {
  readonly headers?: Record<string, string>;
}

/** Sends a request, waits for its line in the log, and tells all lines on its behalf. */
async function send(path: string, init: Sent = {}) {
  requests += 1;
  const requestId = `request-${requests}:`;
  const headers = { ...init.headers, 'X-Request-Id': requestId };
  const { status, text } = await gateway.request(path, { ...init, headers });
  return { requestId, status, text, lines: await linesOf(requestId) };
}

/** The log's lines about a request once it is over; expects that the log has no key, nor its hash. */
async function linesOf(requestId: string): Promise<unknown[]> {
  const isOfRequest = (line: string) => line.includes(`"requestId":"${requestId}"`);
  await log.line((line) => isOfRequest(line) && line.includes('"durationMs"'));
  const output = log.text();
  expect(secrets.filter((secret) => output.includes(secret))).toEqual([]);
  const lines = output.split('\n').filter(isOfRequest);
  // It may have waited, on a busy machine.
  return lines.map((line): unknown => JSON.parse(line.replace(/"waitedMs":[\d.]+,/, '')));
}

test.each([
  ['GET /v1/pets/0', '/v1/pets/0', 404],
  ['a GraphQL query of pet', '/graphql?query={pet(id:0){id}}', 200],
])('%s is a line that says that it is deprecated', async (_what, url, status) => {
  const { requestId, lines } = await send(url);
  const [path] = url.split('?');
  expect(lines).toEqual([
    requestLine({ requestId, method: 'GET', path, status, keyId: '1', deprecated: true }),
  ]);
});

/** Whether a line is not that of a mutation (see mutation-log.test.ts). */
function isNoMutation(line: unknown): boolean {
  return isJsonObject(line) && line['msg'] !== 'mutation';
}

/** The line when a request is over. */
function requestLine(line: object): object {
  const number: unknown = expect.any(Number);
  return { level: 30, time: number, ...line, durationMs: number, msg: 'request' };
}

test.each<[string, string, number, Sent?]>([
  ['GET', '/v1/pets', 200],
  ['GET', '/v1/pets?limit=0', 400],
  ['GET', '/v1/pets?key=KEY', 200],
  ['HEAD', '/v1/pets', 200],
  ['POST', '/v1/pets', 201, { body: '{"name":"Rex","categoryId":1}', headers: JSON_BODY }],
  ['POST', '/v1/pets', 400, { body: `{"name":${key}}`, headers: JSON_BODY }],
  ['POST', '/v1/pets', 415, { body: key }],
  ['GET', '/graphql?query={pets{id}}&key=KEY', 200],
  ['POST', '/graphql', 200, { body: `{"query":"${key}"}`, headers: JSON_BODY }],
])(
  '%s %s, answered with %i, is one line with the id of the key',
  async (method, url, status, init) => {
    const { requestId, lines, ...answer } = await send(url.replace('KEY', key), {
      method,
      ...init,
    });
    expect(answer.status).toBe(status);
    const [path] = url.split('?');
    expect(lines.filter(isNoMutation)).toEqual([
      requestLine({ requestId, method, path, status, keyId: '1' }),
    ]);
  },
);

test.each([
  ['GET', '/v1/pets', 401, ''],
  ['POST', '/v1/pets', 401, `Bearer ${unknownKey}`],
  ['GET', '/graphql', 401, `Bearer ${key}x`],
  ['POST', '/graphql', 401, `Basic ${key}`],
  ['GET', '/nowhere', 404, `Bearer ${key}`],
  ['DELETE', '/v1/pets', 405, `Bearer ${key}`],
])('%s %s, answered with %i, is one line without a key', async (method, path, status, given) => {
  const headers = { Authorization: given };
  const { requestId, lines, ...answer } = await send(path, { method, headers });
  expect(answer.status).toBe(status);
  expect(lines).toEqual([requestLine({ requestId, method, path, status })]);
});

test('a line has the id of the trace that a valid traceparent names', async () => {
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
  const traceparent = `00-${traceId}-00f067aa0ba902b7-01`;
  for (const [sent, told] of [
    [traceparent, { traceId }],
    [`${traceparent}-`, {}],
  ] as const) {
    const { requestId, lines } = await send('/v1/pets', { headers: { traceparent: sent } });
    const known = { method: 'GET', path: '/v1/pets', status: 200, keyId: '1' };
    expect(lines).toEqual([requestLine({ requestId, ...told, ...known })]);
  }
});

test('a request that its client aborts is logged as aborted, without a status', async () => {
  const requestId = 'given-up';
  const opened = await openPost(gateway, '/v1/pets', { 'X-Request-Id': requestId });
  opened.once('error', () => undefined).destroy();
  const lines = await linesOf(requestId);
  expect(lines).toEqual([
    requestLine({ requestId, method: 'POST', path: '/v1/pets', keyId: '1', aborted: true }),
  ]);
});

test('an unexpected error is logged once and in full, and no client sees it', async () => {
  const client = new Client(databaseUrl);
  await client.connect();
  // As after a change by hand. It is no fault of the client, and no database that is away.
  await client.query('ALTER TABLE pets RENAME COLUMN category_id TO category');
  const rest = await send('/v1/pets');
  const graphql = await send('/graphql?query={pets{categoryId}}');
  await client.query('ALTER TABLE pets RENAME COLUMN category TO category_id');
  await client.end();

  const message =
    'Something went wrong on our side. The X-Request-Id header identifies this request.';
  expect([rest.status, rest.text]).toEqual([500, errorBody(500, 'INTERNAL_SERVER_ERROR', message)]);
  const extensions = { code: 'INTERNAL_SERVER_ERROR', status: 500 };
  expect([graphql.status, JSON.parse(graphql.text)]).toEqual([
    500,
    {
      errors: [{ message, locations: [{ line: 1, column: 2 }], path: ['pets'], extensions }],
    },
  ]);

  for (const { requestId, lines, path, status } of [
    { ...rest, path: '/v1/pets' },
    { ...graphql, path: '/graphql' },
  ]) {
    expect(lines).toEqual([
      {
        level: 50,
        time: expect.any(Number) as unknown,
        requestId,
        err: expect.objectContaining({
          message: 'column stored.category_id does not exist',
          stack: expect.stringContaining('packages/data/src/find-pages.ts') as unknown,
        }) as unknown,
        msg: 'unexpected error',
      },
      requestLine({ requestId, method: 'GET', path, status, keyId: '1' }),
    ]);
  }
});
