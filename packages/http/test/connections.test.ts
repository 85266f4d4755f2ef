import { spawnSync } from 'node:child_process';
import { get, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setImmediate as turnOfLoop } from 'node:timers/promises';
import express from 'express';
import { expect, onTestFinished, test, vi } from 'vitest';
import { listen, type Listening } from '../src/listen.ts';
import { send as sendBody } from '../src/message/send.ts';
import { errorBody } from '../../../test/support/error-body.ts';
import { head, rawConnection, isResetBySending } from '../../../test/support/raw-connection.ts';

/** Makes a request so large that the next request isn't parsed in the same piece. */
const PADDING = `X-Padding: ${'x'.repeat(300)}`;

/** Serves an app with the connection handling under test. */
async function serve(app: RequestListener, options: Partial<Parameters<typeof listen>[1]> = {}) {
  const address = { host: '127.0.0.1', port: 0, maximumConnections: 2000 };
  const server = await listen(app, { ...address, ...options });
  onTestFinished(() => server.close());
  return server;
}

/** Serves an app that responds at once. */
const serveAtOnce = async () => serve((_request, response) => response.end());

/** Serves an app that responds in a later turn of the event loop, and counts the requests in progress. */
async function serveCounting() {
  const counted = { inWork: 0, most: 0 };
  const answer = async (url: string, response: ServerResponse): Promise<void> => {
    counted.inWork += 1;
    counted.most = Math.max(counted.most, counted.inWork);
    await turnOfLoop();
    counted.inWork -= 1;
    response.end(url);
  };
  const { url } = await serve((request, response) => void answer(request.url ?? '', response));
  return { url, counted };
}

test.each([
  { methods: ['GET'], most: 8 },
  { methods: ['POST'], most: 1 },
  { methods: ['GET', 'DELETE'], most: 1 },
])(
  'hundreds of pipelined $methods requests run at most $most at a time and are answered in order',
  async ({ methods, most }) => {
    const { url, counted } = await serveCounting();
    const { send, answers } = await rawConnection(url);
    const paths = Array.from({ length: 400 }, (_, index) => `/${index}`);
    const lines = paths.map((path, index) => `${methods[index % methods.length]} ${path}`);
    send(lines.map((line) => head(line)).join(''));
    expect((await answers(400)).map(({ body }) => body.toString())).toEqual(paths);
    expect(counted.most).toBe(most);
  },
);

test('a pipelined request does not run while the client is not reading the previous response', async () => {
  // More than the kernel can buffer for a client that doesn't read.
  const answer = 'x'.repeat(20_000_000);
  const begun: ServerResponse[] = [];
  let most = 0;
  const { url } = await serve((_request, response) => {
    begun.push(response);
    most = Math.max(most, begun.filter(({ writableFinished }) => !writableFinished).length);
    response.end(answer);
  });
  const { socket, send, last } = await rawConnection(url);
  socket.pause();
  send(head('GET /').repeat(2) + head('GET /', 'Connection: close'));
  await expect.poll(() => begun).toHaveLength(1);
  socket.resume();
  expect(await last()).toHaveLength(3);
  expect(most).toBe(1);
});

test('when a client disconnects, all requests on its connection are aborted', async () => {
  const begun: ServerResponse[] = [];
  let closed = 0;
  const { url } = await serve((_request, response) => {
    begun.push(response);
    response.on('close', () => (closed += 1));
  });
  const { socket, send } = await rawConnection(url);
  send(head('GET /').repeat(20));
  await expect.poll(() => begun).toHaveLength(8);
  socket.destroy();
  await expect.poll(() => closed).toBe(8);
});

test('when too many connections have waiting requests, the one that has waited longest is closed', async () => {
  const begun: ServerResponse[] = [];
  const { url } = await serve((_request, response) => void begun.push(response));
  const connections = await Promise.all(
    Array.from({ length: 1001 }, async () => {
      const connection = await rawConnection(url);
      connection.send(head('POST /', 'Content-Length: 0').repeat(2));
      return connection;
    }),
  );
  await expect.poll(() => begun).toHaveLength(1001);
  // The server stops reading from connections with waiting requests.
  connections.forEach(({ send }) => {
    send(head('GET /'));
  });
  // The other connections stay open for longer than a test may take.
  expect(await Promise.race(connections.map(({ last }) => last()))).toEqual([]);
  begun.forEach((response) => response.end());
});

test('a malformed request after pipelined requests gets 400 after their responses', async () => {
  const { url } = await serveAtOnce();
  const { send, last } = await rawConnection(url);
  send(`${head('GET /', PADDING).repeat(20)}\0${head('GET /').repeat(20)}`);
  const answers = await last();
  expect(answers.map(({ status }) => status)).toEqual([
    ...Array.from({ length: 20 }, () => 200),
    400,
  ]);
  expect(answers.at(-1)?.body.toString()).toBe(
    errorBody(400, 'BAD_USER_INPUT', 'The request is not well-formed HTTP/1.1'),
  );
});

test('data after a pipelined CONNECT is not parsed as requests', async () => {
  const { url } = await serveAtOnce();
  const { send, last } = await rawConnection(url);
  send(head('GET /', PADDING) + head('CONNECT store:1', PADDING) + head('GET /').repeat(20));
  expect((await last()).map(({ status }) => status)).toEqual([200, 405]);
});

test('a waiting CONNECT is answered despite a flood of pipelined requests', async () => {
  let slow: ServerResponse | undefined;
  const { url } = await serve(({ url: path }, response) => {
    if (path === '/slow') {
      slow = response;
    } else {
      response.end();
    }
  });
  const connecting = await rawConnection(url);
  connecting.send(head('GET /slow') + head('CONNECT store:1'));
  await expect.poll(() => slow).toBeDefined();
  const flooding = await rawConnection(url);
  // Exceeds the number of waiting requests above which all connections are parsed in pieces.
  flooding.send(head('GET /').repeat(1500));
  await flooding.answers(1);
  slow?.end();
  expect((await connecting.last()).map(({ status }) => status)).toEqual([200, 405]);
});

test('at shutdown, a server answers only the running requests on a connection', async () => {
  const begun: ServerResponse[] = [];
  const { url, close } = await serve((_request, response) => void begun.push(response));
  const { send, last } = await rawConnection(url);
  send(head('GET /', PADDING).repeat(20));
  await expect.poll(() => begun).toHaveLength(8);
  const closed = close();
  begun.forEach((response) => response.end());
  const connections = (await last()).map(({ headers }) => headers.get('connection'));
  expect(connections.map((value) => value === 'close')).toEqual([
    ...Array.from({ length: 7 }, () => false),
    true,
  ]);
  await closed;
  expect(begun).toHaveLength(8);
});

test('a request that arrives after the last response on a connection is not executed', async () => {
  const executed: (string | undefined)[] = [];
  const server = await serve(({ url }, response) => {
    executed.push(url);
    response.setHeader('Connection', 'close').end();
  });
  const connection = await rawConnection(server.url);
  connection.send(head('GET /last'));
  await connection.ended;
  expect(await isResetBySending(connection, head('GET /next'))).toBe(false);
  expect(executed).toEqual(['/last']);
});

test('at shutdown, the last response on a connection is also followed by a lingering close', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const server = await serveAtOnce();
  const connection = await rawConnection(server.url);
  connection.send(head('GET /first'));
  await connection.answers(1);
  const closed = server.close();
  // From now on, the server checks for idle connections.
  await expect.poll(() => vi.getTimerCount()).toBeGreaterThan(0);
  connection.send(head('GET /last'));
  await connection.answers(2);
  vi.advanceTimersToNextTimer();
  expect(await isResetBySending(connection, 'x')).toBe(false);
  vi.advanceTimersToNextTimer();
  await closed;
});

test('a malformed body is rejected in the error format of its API, even inside an Express router', async () => {
  const begun = Promise.withResolvers<void>();
  const router = express.Router().use(() => {
    begun.resolve();
  });
  const { url } = await serve(express().use('/graphql', router), {
    surfaceOf: (path) => (path === '/graphql' ? 'graphql' : 'rest'),
  });
  const { send, last } = await rawConnection(url);
  send(head('POST /graphql', 'Transfer-Encoding: chunked'));
  await begun.promise;
  send('no chunk\r\n');
  const [answer] = await last();
  expect(answer?.body.toString()).toContain(
    '{"errors":[{"message":"The request is not well-formed',
  );
});

test('the server buffers at most one piece of a large body for a client that does not read', async () => {
  // More than the kernel can buffer.
  const body = Buffer.alloc(64 * 2 ** 20, 'animals ');
  // The size of one piece and the headers.
  const most = 2 ** 18 + 2 ** 10;
  const responses = Promise.withResolvers<ServerResponse>();
  const { url } = await serve((_request, response) => {
    sendBody(response, 'text/plain', body);
    responses.resolve(response);
  });
  const received = Promise.withResolvers<IncomingMessage>();
  get(url, { agent: false }, received.resolve);
  const response = await responses.promise;
  expect(response.writableLength).toBeLessThan(most);
  await expect.poll(() => response.writableNeedDrain).toBe(true);
  expect(response.writableLength).toBeLessThan(most);
  expect((await buffer(await received.promise)).equals(body)).toBe(true);
});

const CONNECTIONS = 1000;

/** A client that exits when all of its connections are established. */
const CLIENT = `
import { connect } from 'node:net';
let connected = 0;
for (let number = 0; number < ${CONNECTIONS}; number += 1) {
  connect(Number(process.argv[1]), '127.0.0.1', () => {
    connected += 1;
    if (connected === ${CONNECTIONS}) process.exit();
  });
}`;

/** A client that sends a request and resets its connection. */
const RESETTING_CLIENT = `
import { connect } from 'node:net';
const socket = connect(Number(process.argv[1]), '127.0.0.1', () => {
  socket.write('GET /reset HTTP/1.1\\r\\nHost: store\\r\\n\\r\\n', () => socket.resetAndDestroy());
});`;

/** Runs a client, and blocks this process until the client exits, so that no connection is accepted meanwhile. */
function exitCodeOf(program: string, { url }: Pick<Listening, 'url'>): number | null {
  const args = ['--input-type=module', '--eval', program, new URL(url).port];
  return spawnSync(process.execPath, args, { timeout: 30_000 }).status;
}

test('a burst of new connections is established while the server process is blocked', async () => {
  const options = { maximumConnections: CONNECTIONS };
  const server = await serve((_request, response) => response.end(), options);
  expect(exitCodeOf(CLIENT, server)).toBe(0);
});

test('a request is not read if its connection was reset before the server accepted it', async () => {
  const paths: (string | undefined)[] = [];
  const server = await serve((request, response) => {
    paths.push(request.url);
    response.end();
  });
  expect(exitCodeOf(RESETTING_CLIENT, server)).toBe(0);
  for (const path of ['/first', '/second']) {
    expect((await fetch(new URL(path, server.url))).status).toBe(200);
  }
  expect(paths).toEqual(['/first', '/second']);
});
