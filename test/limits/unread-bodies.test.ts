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
  ['with a Content-Length of 100,001 bytes', [JSON_TYPE, 'Content-Length: 100001'], ''],
  [
    'whose client waits for 100 Continue',
    [JSON_TYPE, 'Content-Length: 100001', 'Expect: 100-continue'],
    '',
  ],
  ['with a Content-Length of 8 EiB', [JSON_TYPE, `Content-Length: ${2n ** 63n}`], '{'],
  [
    'with 100,001 bytes of gzip',
    [JSON_TYPE, 'Content-Encoding: gzip', 'Content-Length: 100001'],
    '\x1f\x8b',
  ],
  ['in chunks with 150,000 bytes in total', [JSON_TYPE, CHUNKED], CHUNK.repeat(3)],
])('a body %s is rejected with 413 before it has arrived', async (_what, headers, part) => {
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

test('an HTTP/1.0 client does not get 100 Continue', async () => {
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
  ['is sent without a key', []],
])(
  'a rejected body that %s and ends soon does not close its connection',
  async (_what, headers) => {
    const connection = await rawConnection(gateway.url);
    connection.send(head('POST /v1/pets', CHUNKED, ...headers) + CHUNK.repeat(3));
    await connection.answers(1);
    connection.send(`${CHUNK.repeat(3)}0\r\n\r\n${head('GET /livez')}`);
    const [, next] = await connection.answers(2);
    expect(next?.status).toBe(200);
  },
);

const ENDLESS = [
  { path: '/v1/pets', headers: [KEY, JSON_TYPE, CHUNKED], status: 413 },
  { path: '/v1/pets', headers: [CHUNKED], status: 401 },
  { path: '/nowhere', headers: [CHUNKED], status: 404 },
];

/** Sends an endless body until the connection is closed; returns the number of bytes sent, and the statuses. */
async function sendWithoutEnd({ path, headers }: Pick<(typeof ENDLESS)[0], 'path' | 'headers'>) {
  const connection = await rawConnection(gateway.url);
  const { socket } = connection;
  connection.send(head(`POST ${path}`, ...headers));
  let sent = 0;
  const send = (): void => {
    // The operating system buffers what is not read: some megabytes.
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
  // The client keeps sending even after the end of the response.
  await closed;
  return { sent, statuses: answers.map(({ status }) => status) };
}

test('the service reads at most a megabyte of an endless body that it has rejected', async () => {
  const told = await Promise.all(ENDLESS.map(sendWithoutEnd));
  expect(told.map(({ statuses }) => statuses)).toEqual(ENDLESS.map(({ status }) => [status]));
  expect(Math.max(...told.map(({ sent }) => sent))).toBeLessThan(30_000_000);
});
