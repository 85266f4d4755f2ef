import { expect, test } from 'vitest';
import { errorBody, graphqlErrorBody } from '../support/error-body.ts';
import { startGateway } from '../support/gateway.ts';
import { head, rawConnection } from '../support/raw-connection.ts';

const gateway = await startGateway();
const KEY = `Authorization: Bearer ${gateway.key}`;
const JSON_TYPE = 'Content-Type: application/json';
const CHUNKED = 'Transfer-Encoding: chunked';
const TOO_LARGE = [413, 'PAYLOAD_TOO_LARGE', 'The body is larger than 100000 bytes'] as const;
const CHUNK = `${(50_000).toString(16)}\r\n${'a'.repeat(50_000)}\r\n`;

test.each([
  ['of a length of 100,001 bytes', [JSON_TYPE, 'Content-Length: 100001'], ''],
  [
    'that the client asks for permission to send',
    [JSON_TYPE, 'Content-Length: 100001', 'Expect: 100-continue'],
    '',
  ],
  ['of a length of 8 EiB', [JSON_TYPE, `Content-Length: ${2n ** 63n}`], '{'],
  [
    'of gzip of 100,001 bytes',
    [JSON_TYPE, 'Content-Encoding: gzip', 'Content-Length: 100001'],
    '\x1f\x8b',
  ],
  ['in chunks of 150,000 bytes', [JSON_TYPE, CHUNKED], CHUNK.repeat(3)],
])('a body %s returns 413 before it has arrived', async (_what, headers, part) => {
  for (const path of ['/v1/pets', '/graphql']) {
    const connection = await rawConnection(gateway.url);
    connection.send(head(`POST ${path}`, KEY, ...headers));
    connection.send(Buffer.from(part, 'latin1'));
    const [answer] = await connection.answers(1);
    expect(answer?.status).toBe(413);
    const body = path === '/graphql' ? graphqlErrorBody(...TOO_LARGE) : errorBody(...TOO_LARGE);
    expect(answer?.body.toString()).toBe(body);
  }
});

test('a client of HTTP/1.0 is not asked for its body', async () => {
  const connection = await rawConnection(gateway.url);
  const body = '{"name":"Old","categoryId":1}';
  const headers = [KEY, JSON_TYPE, `Content-Length: ${body.length}`, 'Expect: 100-continue'];
  const chunks: string[] = [];
  connection.socket.on('data', (chunk) => chunks.push(String(chunk)));
  connection.send(head('POST /v1/pets', ...headers).replace('HTTP/1.1', 'HTTP/1.0') + body);
  expect((await connection.last()).map(({ status }) => status)).toEqual([201]);
  expect(chunks.join('')).toMatch(/^HTTP\/1\.1 201 /);
});

test.each([
  ['is too large', [KEY, JSON_TYPE]],
  ['nobody may send', []],
])('a body that %s and ends soon does not close its connection', async (_what, headers) => {
  const connection = await rawConnection(gateway.url);
  connection.send(head('POST /v1/pets', CHUNKED, ...headers) + CHUNK.repeat(3));
  await connection.answers(1);
  connection.send(`${CHUNK.repeat(3)}0\r\n\r\n${head('GET /livez')}`);
  const [, next] = await connection.answers(2);
  expect(next?.status).toBe(200);
});

const ENDLESS = [
  { path: '/v1/pets', headers: [KEY, JSON_TYPE, CHUNKED], status: 413 },
  { path: '/v1/pets', headers: [CHUNKED], status: 401 },
  { path: '/nowhere', headers: [CHUNKED], status: 404 },
];

/** Sends a body without end until the connection is closed; tells how much was sent, and the statuses. */
async function sendWithoutEnd({ path, headers }: Pick<(typeof ENDLESS)[0], 'path' | 'headers'>) {
  const connection = await rawConnection(gateway.url);
  const { socket } = connection;
  connection.send(head(`POST ${path}`, ...headers));
  let sent = 0;
  const send = (): void => {
    // What is not read stays with the systems: some megabytes.
    while (socket.writable && sent < 100_000_000) {
      sent += CHUNK.length;
      if (!socket.write(CHUNK)) {
        socket.once('drain', send);
        return;
      }
    }
  };
  send();
  const closed = new Promise((resolve) => socket.once('close', resolve));
  const answers = await connection.last();
  // Told that it ends, it goes on nevertheless.
  await closed;
  return { sent, statuses: answers.map(({ status }) => status) };
}

test('at most a megabyte of a rejected body without an end is read', async () => {
  const told = await Promise.all(ENDLESS.map(sendWithoutEnd));
  expect(told.map(({ statuses }) => statuses)).toEqual(ENDLESS.map(({ status }) => [status]));
  expect(Math.max(...told.map(({ sent }) => sent))).toBeLessThan(30_000_000);
});
