import type { RequestListener, ServerResponse } from 'node:http';
import { setImmediate as turnOfLoop } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { listen } from '@gateway/http-server/listen';
import { errorBody } from '../support/error-body.ts';
import { startGateway } from '../support/gateway.ts';
import { head, rawConnection } from '../support/raw-connection.ts';

const gateway = await startGateway();
const KEY = `Authorization: Bearer ${gateway.key}`;
const JSON_TYPE = 'Content-Type: application/json';

/** Larger than the least that is parsed in one go, so that what follows isn't parsed with it. */
const PADDING = `X-Padding: ${'x'.repeat(300)}`;

/** An app of a test's own behind what connections go through. */
async function serve(app: RequestListener) {
  const server = await listen(app, { host: '127.0.0.1', port: 0, maximumConnections: 2000 });
  onTestFinished(() => server.close());
  return server;
}

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

test('pipelined bodies of any kind belong to their requests', async () => {
  const { send, answers } = await rawConnection(gateway.url);
  const names = Array.from({ length: 100 }, (_, index) => `Animal ${index}`);
  const requests = names.map((name, index) => {
    // White space that looks like the end of a head, less and more than is parsed in one go.
    const body = `{"name":"${name}",${'\r\n\r\n'.repeat(index * 5)}"categoryId":1}`;
    const post = ['POST /v1/pets', KEY, JSON_TYPE] as const;
    return index % 2 === 0
      ? head(...post, `Content-Length: ${body.length}`) + body
      : `${head(...post, 'Transfer-Encoding: chunked')}${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
  });
  send(requests.join(''));
  const added = (await answers(100)).map(({ body }): unknown => JSON.parse(body.toString()));
  expect(added).toMatchObject(names.map((name) => ({ name })));
});

test('nothing is executed for a client that does not read, until it does', async () => {
  const { url, key, database, post } = await startGateway();
  const { socket, send } = await rawConnection(url);
  socket.pause();
  const body = '{"name":"Behind","categoryId":1}';
  // More than systems keep for those who don't read.
  const pages = head('GET /graphql', 'Accept: text/html').repeat(3);
  const headers = [`Authorization: Bearer ${key}`, JSON_TYPE, `Content-Length: ${body.length}`];
  send(pages + head('POST /v1/pets', ...headers) + body);
  await expect.poll(() => socket.bytesRead).toBeGreaterThan(0);
  expect((await post('/v1/pets', { name: 'First', categoryId: 1 })).status).toBe(201);

  const names = async () => {
    const pets = await database.pet.findMany({ where: {}, orderBy: { id: 'asc' }, take: 3 });
    return pets.map(({ name }) => name);
  };
  expect(await names()).toEqual(['First']);
  socket.resume();
  await expect.poll(names).toEqual(['First', 'Behind']);
});

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
  const { send, last } = await rawConnection(gateway.url);
  send(`${head('GET /livez', PADDING).repeat(20)}\0${head('GET /livez').repeat(20)}`);
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
  const { send, last } = await rawConnection(gateway.url);
  send(
    head('GET /livez', PADDING) + head('CONNECT store:1', PADDING) + head('GET /livez').repeat(20),
  );
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
