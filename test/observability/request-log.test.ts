import { generateApiKey } from '../support/store-database.ts';
import { expect, test, vi } from 'vitest';
import { hashApiKey } from '../../packages/access/src/keys/api-keys.ts';
import { captureLog } from '../support/captured-log.ts';
import { errorBody } from '../support/error-body.ts';
import { startGateway } from '../support/gateway.ts';
import { openPost } from '../support/node-request.ts';
import { head, rawConnection } from '../support/raw-connection.ts';

const gateway = await startGateway();
const { database, key } = gateway;
// Outside tests, Express writes unhandled errors to stderr.
vi.stubEnv('NODE_ENV', 'production');
const production = await startGateway();
vi.unstubAllEnvs();
const log = captureLog();
const unknownKey = generateApiKey();
const hash = hashApiKey(key);
const secrets = [key, unknownKey, hash.toString('hex'), hash.toString('base64')];
const JSON_BODY = { 'Content-Type': 'application/json' };

let requests = 0;

interface Sent extends RequestInit {
  readonly headers?: Record<string, string>;
}

/** Sends a request, waits for its line in the log, and returns all lines about it. */
async function send(path: string, init: Sent = {}) {
  requests += 1;
  const requestId = `request-${requests}:`;
  const headers = { ...init.headers, 'X-Request-Id': requestId };
  const { status, text } = await gateway.request(path, { ...init, headers });
  return { requestId, status, text, lines: await linesOf(requestId) };
}

/** Returns a request's log lines when it is complete; expects the log to contain neither the key nor its hash. */
async function linesOf(requestId: string): Promise<Record<string, unknown>[]> {
  const own = `"requestId":"${requestId}"`;
  await log.line((line) => line.includes(own) && line.includes('"durationMs"'));
  const output = log.text();
  expect(secrets.filter((secret) => output.includes(secret))).toEqual([]);
  // On a busy machine, the request may have waited.
  return log.lines(own).map(({ waitedMs: _waitedMs, ...line }) => line);
}

test.each([
  ['GET /v1/pets/0', '/v1/pets/0', 404],
  ['a GraphQL query of pet', '/graphql?query={pet(id:0){id}}', 200],
])('the log line for %s marks it as deprecated', async (_what, url, status) => {
  const { requestId, lines } = await send(url);
  const [path] = url.split('?');
  expect(lines).toEqual([
    requestLine({ requestId, method: 'GET', path, status, keyId: '1', deprecated: true }),
  ]);
});

/** Returns the line that is logged when a request is complete. */
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
  ['PATCH', '/v1/pets/9', 404, { body: '{}', headers: JSON_BODY }],
  ['DELETE', '/v1/pets/9', 404],
  ['GET', '/graphql?query={pets{id}}&key=KEY', 200],
  ['POST', '/graphql', 200, { body: `{"query":"${key}"}`, headers: JSON_BODY }],
])(
  "%s %s, which returns %i, is logged in one line with the key's id",
  async (method, url, status, init) => {
    const { requestId, lines, ...answer } = await send(url.replace('KEY', key), {
      method,
      ...init,
    });
    expect(answer.status).toBe(status);
    const [path] = url.split('?');
    // mutation-log.test.ts tests the mutation lines.
    expect(lines.filter(({ msg }) => msg !== 'mutation')).toEqual([
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
])(
  '%s %s, which returns %i, is logged in one line without a key id',
  async (method, path, status, given) => {
    const headers = { Authorization: given };
    const { requestId, lines, ...answer } = await send(path, { method, headers });
    expect(answer.status).toBe(status);
    expect(lines).toEqual([requestLine({ requestId, method, path, status })]);
  },
);

test('a log line has the trace id from a valid traceparent', async () => {
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

test('an aborted request is logged as aborted, without a status', async () => {
  const requestId = 'given-up';
  const opened = await openPost(gateway, '/v1/pets', { 'X-Request-Id': requestId });
  opened.once('error', () => undefined).destroy();
  const lines = await linesOf(requestId);
  expect(lines).toEqual([
    requestLine({ requestId, method: 'POST', path: '/v1/pets', keyId: '1', aborted: true }),
  ]);
});

/** Makes reads of animals fail, as a manual schema change would. @returns a function that undoes this */
async function breakPets() {
  await database.$executeRaw`ALTER TABLE pets RENAME COLUMN category_id TO category`;
  return () => database.$executeRaw`ALTER TABLE pets RENAME COLUMN category TO category_id`;
}

test('an unexpected error is logged once, in full, and its details are hidden from the client', async () => {
  const restore = await breakPets();
  const rest = await send('/v1/pets');
  const graphql = await send('/graphql?query={pets{categoryId}}');
  await restore();

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

const AT_ONCE = Array.from({ length: 20 });

test.each([
  { url: '/v1/pets?limit=1', status: 200, keyId: '1' },
  { url: '/v1/pets?limit=0', status: 400, keyId: '1' },
  { url: '/v1/pets', status: 401, keyId: undefined },
])(
  'each of several identical requests for $url that return $status is logged in its own line',
  async ({ url, status, keyId }) => {
    const headers = { Authorization: `Bearer ${keyId === undefined ? 'no' : key}` };
    const sent = await Promise.all(AT_ONCE.map(() => send(url, { headers })));
    for (const { requestId, lines } of sent) {
      const known = { method: 'GET', path: '/v1/pets', status, ...(keyId && { keyId }) };
      expect(lines).toEqual([requestLine({ requestId, ...known })]);
    }
  },
);

test.each([
  ['/v1/pets', 19],
  ['/graphql?query={pets{categoryId}}', 19],
  ['/v1/pets/1', 20],
])(
  '20 requests for %s that fail with the same unexpected error refer to at most %i logged errors',
  async (path, most) => {
    const restore = await breakPets();
    const sent = await Promise.all(AT_ONCE.map(() => send(path)));
    await restore();
    const errors = log.lines('"level":50').map(({ requestId }) => requestId);
    const own = sent.filter(({ requestId }) => errors.includes(requestId));
    expect(own.length).toBeLessThanOrEqual(most);
    for (const { requestId, status, lines } of sent) {
      expect(status).toBe(500);
      expect(errors).toContain(lines.at(-1)?.['errorLoggedUnder'] ?? requestId);
    }
  },
);

const KEY = `Authorization: Bearer ${production.key}`;

/** Sends the bytes, expects one response, and returns all log lines with its request id. */
async function linesAbout(bytes: string): Promise<unknown[]> {
  const connection = await rawConnection(production.url);
  connection.send(bytes);
  const answers = await connection.last();
  expect(answers).toHaveLength(1);
  const requestId = answers[0]?.headers.get('x-request-id') ?? '';
  await log.line((line) => line.includes(requestId));
  // Lines are written in order: once a later request is logged, no more lines about this one follow.
  await fetch(`${production.url}/nowhere`, { headers: { 'X-Request-Id': `after-${requestId}` } });
  await log.line((line) => line.includes(`after-${requestId}`));
  expect(log.text()).not.toContain(production.key);
  return log.lines(`"requestId":"${requestId}"`);
}

test.each([
  [
    'a header without a colon',
    head('GET /v1/pets', KEY, production.key),
    { status: 400, fault: 'HPE_INVALID_HEADER_TOKEN' },
  ],
  [
    'a key of 16 KiB',
    head('GET /v1/pets', KEY.padEnd(20_000, 'a')),
    { status: 431, fault: 'HPE_HEADER_OVERFLOW' },
  ],
  [
    'a CONNECT request',
    head(`CONNECT ${production.key}:443`, KEY),
    { status: 405, method: 'CONNECT' },
  ],
])(
  '%s is logged in one line with the fault and without any content from the request',
  async (_what, bytes, told) => {
    const time: unknown = expect.any(Number);
    const requestId: unknown = expect.any(String);
    const line = { level: 30, time, requestId, ...told, msg: 'request' };
    expect(await linesAbout(bytes)).toEqual([line]);
  },
);

test("a malformed body adds no log line besides the request's own", async () => {
  const stderr = vi.spyOn(console, 'error');
  const headers = [KEY, 'Content-Type: application/json', 'Transfer-Encoding: chunked'];
  const lines = await linesAbout(`${head('POST /v1/pets', ...headers)}1\r\n{\r\nno size`);
  expect(lines).toMatchObject([
    { level: 30, method: 'POST', path: '/v1/pets', status: 400, msg: 'request' },
  ]);
  expect(stderr).not.toHaveBeenCalled();
});
