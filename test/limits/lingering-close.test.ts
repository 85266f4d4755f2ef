import { setImmediate as turnOfLoop } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { listen } from '@gateway/http-server/listen';
import { startGateway } from '../support/gateway.ts';
import { head, rawConnection, type RawConnection } from '../support/raw-connection.ts';

const gateway = await startGateway();
const KEY = `Authorization: Bearer ${gateway.key}`;
const JSON_TYPE = 'Content-Type: application/json';
const CHUNKED = 'Transfer-Encoding: chunked';
const LAST = 'Connection: close';
const LARGE = 'Content-Length: 200000';

/** Sends packets on a connection, then closes the client's side; resolves to whether the server has reset it. */
async function isResetBySending({ socket, send }: RawConnection, packet: string): Promise<boolean> {
  const closed = new Promise<boolean>((resolve) => socket.once('close', resolve));
  for (let packets = 0; packets < 5; packets += 1) {
    send(packet);
    // The gateway runs in this process: it reads them one by one.
    await turnOfLoop();
    await turnOfLoop();
  }
  socket.end();
  return closed;
}

test.each<[string, string, number]>([
  ['a request that says it is the last', head('GET /nowhere', LAST), 404],
  ['such a request, with more behind it at once', `${head('GET /nowhere', LAST)}more`, 404],
  ['a request without a version', 'GET /nowhere\r\n\r\n', 404],
  ['a request without a version, with more behind it at once', 'GET /nowhere\r\n\r\nmore', 404],
  ['a request of HTTP/1.0', 'GET /nowhere HTTP/1.0\r\n\r\n', 404],
  ['what is malformed', '\0', 400],
  ['a malformed body', `${head('POST /v1/pets', KEY, JSON_TYPE, CHUNKED)}x\r\n`, 400],
  ['the head of too large a body', head('POST /v1/pets', KEY, JSON_TYPE, LAST, LARGE), 413],
  ['the head of a body that nobody may send', head('POST /v1/pets', CHUNKED), 401],
])(
  'a client that goes on sending behind %s has its answer, and no reset',
  async (_what, bytes, status) => {
    const connection = await rawConnection(gateway.url);
    connection.send(bytes);
    expect((await connection.answers(1)).map((answer) => answer.status)).toEqual([status]);
    // A reset throws away what the client has yet to read.
    expect(await isResetBySending(connection, 'x\r\n')).toBe(false);
    expect(await connection.last()).toHaveLength(1);
  },
);

test('a request behind the last answer of a connection is not executed', async () => {
  const executed: (string | undefined)[] = [];
  const server = await listen(
    ({ url }, response) => {
      executed.push(url);
      response.setHeader('Connection', 'close').end();
    },
    { host: '127.0.0.1', port: 0, maximumConnections: 10 },
  );
  onTestFinished(() => server.close());
  const connection = await rawConnection(server.url);
  connection.send(head('GET /last'));
  await connection.ended;
  expect(await isResetBySending(connection, head('GET /next'))).toBe(false);
  expect(executed).toEqual(['/last']);
});

test('a server that closes lets the last answers linger, too', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const server = await listen((_request, response) => response.end(), {
    host: '127.0.0.1',
    port: 0,
    maximumConnections: 10,
  });
  const connection = await rawConnection(server.url);
  connection.send(head('GET /first'));
  await connection.answers(1);
  const closed = server.close();
  // It looks for idle connections from now on.
  await expect.poll(() => vi.getTimerCount()).toBeGreaterThan(0);
  connection.send(head('GET /last'));
  await connection.answers(2);
  vi.advanceTimersToNextTimer();
  expect(await isResetBySending(connection, 'x')).toBe(false);
  vi.advanceTimersToNextTimer();
  await closed;
});
