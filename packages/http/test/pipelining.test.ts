import type { RequestListener, ServerResponse } from 'node:http';
import { setImmediate as turnOfLoop } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { listen } from '../src/listen.ts';
import { errorBody } from '../../../test/support/error-body.ts';
import { head, rawConnection } from '../../../test/support/raw-connection.ts';

/** Larger than the least that is parsed in one go, so that what follows isn't parsed with it. */
const PADDING = `X-Padding: ${'x'.repeat(300)}`;

/** An app of a test's own behind what connections go through. */
async function serve(app: RequestListener) {
  const server = await listen(app, { host: '127.0.0.1', port: 0, maximumConnections: 2000 });
  onTestFinished(() => server.close());
  return server;
}

/** Answers at once. */
const serveAtOnce = async () => serve((_request, response) => response.end());

/** Answers each request in a turn of the event loop to come, and tells how many were in work at most. */
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
  'of hundreds of $methods pipelined, $most are in work at a time, and all answered in order',
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

test('behind an answer that is not read yet, nothing else is in work', async () => {
  // More than systems keep for those who don't read.
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

test('a client that goes away gives up all its requests in work', async () => {
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

test('of too many connections with requests that wait, the one without progress for longest is closed', async () => {
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
  // What comes behind requests that wait is not read any more.
  connections.forEach(({ send }) => {
    send(head('GET /'));
  });
  // The others are kept, for longer than a test may take.
  expect(await Promise.race(connections.map(({ last }) => last()))).toEqual([]);
  begun.forEach((response) => response.end());
});

test('what is malformed behind pipelined requests is answered behind them', async () => {
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

test('what comes behind a pipelined CONNECT is no request', async () => {
  const { url } = await serveAtOnce();
  const { send, last } = await rawConnection(url);
  send(head('GET /', PADDING) + head('CONNECT store:1', PADDING) + head('GET /').repeat(20));
  expect((await last()).map(({ status }) => status)).toEqual([200, 405]);
});

test('a CONNECT that waits does not mind a flood of pipelined requests', async () => {
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
  // More than may wait, parsed, before all connections are parsed in pieces.
  flooding.send(head('GET /').repeat(1500));
  await flooding.answers(1);
  slow?.end();
  expect((await connecting.last()).map(({ status }) => status)).toEqual([200, 405]);
});

test('told to end, a server answers the requests in work, and no other of their connection', async () => {
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
