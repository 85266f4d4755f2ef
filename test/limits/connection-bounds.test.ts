import { describe, expect, test, type TestContext } from 'vitest';
import type { Timeouts } from '../../packages/http/src/listen.ts';
import { errorBody, graphqlErrorBody, OVERLOADED } from '../support/error-body.ts';
import { startGateway, type Gateway } from '../support/gateway.ts';
import type { WireAnswer } from '../support/http-answers.ts';
import { head, rawConnection, type RawConnection } from '../support/raw-connection.ts';

/** Milliseconds in which even a busy machine reads what is sent, and answers complete requests. */
const SHORT = 3000;
/** Starts a gateway with the timeouts of production, except these. */
const impatient = (timeouts: Partial<Timeouts>) =>
  startGateway({ timeouts: { check: 10, ...timeouts } });

const [impatientOfHeads, impatientOfBodies, impatientOfReaders, impatientOfPauses] =
  await Promise.all([
    impatient({ head: SHORT }),
    impatient({ head: SHORT, request: SHORT }),
    impatient({ response: 400 }),
    impatient({ idle: SHORT }),
  ]);
const patient = await startGateway();
const few = await startGateway({ maximumConnections: 2 });
const old = await startGateway({ timeouts: { connection: 0 } });

const TOO_SLOW = [408, 'REQUEST_TIMEOUT', 'The request took too long to arrive'] as const;
const form = ({ status, body }: WireAnswer) => [status, body.toString()];
const PROBE = head('GET /livez');
const NO_KEY = head('GET /v1/pets');
const BODY = '{"name":"Rex","categoryId":1}';
/** On Linux, all addresses in 127.0.0.0/8 belong to this machine. */
const OTHER_CLIENT = '127.0.0.2';
const PETS = head('GET /v1/pets', `Authorization: Bearer ${few.key}`);

// Concurrent, because the tests mostly wait.
describe.concurrent('timeouts', () => {
  test.for([
    ['stops in its head', PROBE.slice(0, -2), []],
    ['stops in its first line', 'GET ', []],
    ['is the second on its connection and stops in its head', PROBE + PROBE.slice(0, -2), [200]],
  ] as const)(
    'a request that %s gets 408 after its timeout',
    async ([_what, bytes, before], context) => {
      const connection = await rawConnection(impatientOfHeads.url, context);
      connection.send(bytes);
      const answers = await connection.last();
      expect(answers.map(({ status }) => status)).toEqual([...before, 408]);
      expect(answers.slice(-1).map(form)).toEqual([[408, errorBody(...TOO_SLOW)]]);
    },
  );

  test('a request head that arrives byte by byte does not get more time than others', async (context) => {
    const connection = await rawConnection(impatientOfHeads.url, context);
    connection.send(PROBE.replace('store\r\n\r\n', ''));
    const dripping = setInterval(() => {
      connection.send('a');
    }, 20);
    const answers = await connection.last();
    clearInterval(dripping);
    expect(answers.map(form)).toEqual([[408, errorBody(...TOO_SLOW)]]);
  });

  test('a connection that does not send a request is closed without a response', async (context) => {
    const connection = await rawConnection(impatientOfHeads.url, context);
    expect(await connection.last()).toEqual([]);
  });

  test.for([
    ['has a Content-Length', 'Content-Length: 100', '{"name":'],
    ['comes in chunks', 'Transfer-Encoding: chunked', '8\r\n{"name":'],
  ] as const)(
    'a request whose body %s and never ends gets 408 with its request id',
    async ([_what, framing, part], context) => {
      const { url, key, database } = impatientOfBodies;
      const connection = await rawConnection(url, context);
      const headers = [`Authorization: Bearer ${key}`, 'Content-Type: application/json', framing];
      connection.send(head('POST /v1/pets', 'X-Request-Id: slow', ...headers) + part);
      const answers = await connection.last();
      expect(answers.map(form)).toEqual([[408, errorBody(...TOO_SLOW)]]);
      expect(answers[0]?.headers.get('x-request-id')).toBe('slow');
      expect(answers[0]?.headers.get('connection')).toBe('close');
      expect(await database.pet.findMany({ where: {}, orderBy: { id: 'asc' }, take: 1 })).toEqual(
        [],
      );
    },
  );

  test('a request that was answered before its body arrived is not answered twice', async (context) => {
    const connection = await rawConnection(impatientOfBodies.url, context);
    connection.send(`${head('POST /v1/pets', 'Content-Length: 100')}{`);
    expect((await connection.last()).map(({ status }) => status)).toEqual([401]);
  });

  test('a connection that is not used again is closed after the announced time', async (context) => {
    const connection = await rawConnection(impatientOfPauses.url, context);
    connection.send(PROBE);
    const answers = await connection.last();
    expect(answers.map(({ status }) => status)).toEqual([200]);
  });
});

test('a client that does not read its responses is disconnected', async () => {
  // Prepared once for all gateways in a process, which takes time.
  const plain = { headers: { 'Accept-Encoding': 'identity' } };
  const script = await fetch(`${patient.url}/assets/graphiql/graphiql.js`, plain);
  const { byteLength } = await script.arrayBuffer();
  const { socket, send, ended } = await rawConnection(impatientOfReaders.url);
  socket.pause();
  // Many copies of the script exceed what a system buffers for a client that does not read.
  send(head('GET /assets/graphiql/graphiql.js').repeat(20));
  // A client that does not read notices the close when it writes. Servers ignore an empty line before a request.
  const writing = setInterval(() => {
    send('\r\n');
  }, 20);
  await ended;
  clearInterval(writing);
  expect(socket.bytesRead).toBeLessThan(byteLength);
});

/** Opens a connection that is in use until the body of its request is sent. */
async function inUse(
  { url, key }: Gateway,
  context?: TestContext,
  localAddress?: string,
): Promise<RawConnection> {
  const connection = await rawConnection(url, context, localAddress);
  connection.send(
    head(
      'POST /v1/pets',
      `Authorization: Bearer ${key}`,
      'Content-Type: application/json',
      `Content-Length: ${BODY.length}`,
      'Expect: 100-continue',
    ),
  );
  await expect.poll(() => connection.socket.bytesRead).toBeGreaterThan(0);
  return connection;
}

test('requests on connections beyond the maximum get 503, and the other connections continue', async () => {
  const connections = [await inUse(few), await inUse(few)];
  const third = await rawConnection(few.url);
  third.send(PETS);
  const refused = await third.last();
  expect(refused.map(form)).toEqual([[503, errorBody(...OVERLOADED)]]);
  expect(refused[0]?.headers.get('retry-after')).toBe('1');
  expect(refused[0]?.headers.get('connection')).toBe('close');
  const fourth = await rawConnection(few.url);
  fourth.send(PETS.replace('/v1/pets', '/graphql'));
  expect((await fourth.last()).map(form)).toEqual([[503, graphqlErrorBody(...OVERLOADED)]]);
  const probing = await rawConnection(few.url);
  probing.send(PROBE);
  expect((await probing.answers(1)).map(({ status }) => status)).toEqual([200]);

  for (const { send, answers } of connections) {
    send(BODY);
    expect((await answers(1)).map(({ status }) => status)).toEqual([201]);
  }
});

test('a new connection replaces the connection that has been idle for the longest time', async () => {
  const { url } = await startGateway({ maximumConnections: 2 });
  const longestIdle = await rawConnection(url);
  longestIdle.send(NO_KEY);
  await longestIdle.answers(1);
  const unused = await rawConnection(url);
  // It is no longer the connection that has been idle for the longest time.
  longestIdle.send(NO_KEY);
  await longestIdle.answers(2);

  const next = await rawConnection(url);
  expect(await unused.last()).toEqual([]);
  next.send(NO_KEY);
  expect((await next.answers(1)).map(({ status }) => status)).toEqual([401]);
  const afterNext = await rawConnection(url);
  expect(await longestIdle.last()).toHaveLength(2);
  afterNext.send(NO_KEY);
  expect((await afterNext.answers(1)).map(({ status }) => status)).toEqual([401]);
});

test('the client with the most connections loses one to other clients, and never replaces theirs', async (context) => {
  const three = await startGateway({ maximumConnections: 3 });
  const mine = await rawConnection(three.url);
  const theirFirst = await inUse(three, context, OTHER_CLIENT);
  const theirSecond = await inUse(three, context, OTHER_CLIENT);
  const theirThird = await rawConnection(three.url, context, OTHER_CLIENT);
  theirThird.send(NO_KEY);
  expect((await theirThird.last()).map(({ status }) => status)).toEqual([503]);

  const mySecond = await rawConnection(three.url);
  expect(await theirFirst.last()).toEqual([]);
  for (const { send, answers } of [mine, mySecond]) {
    send(NO_KEY);
    expect((await answers(1)).map(({ status }) => status)).toEqual([401]);
  }
  theirSecond.send(BODY);
  expect((await theirSecond.answers(1)).map(({ status }) => status)).toEqual([201]);
});

test('connections from a trusted proxy are not replaced, because proxies serve many clients', async () => {
  const proxied = await startGateway({ maximumConnections: 1, trustedProxies: ['loopback'] });
  const first = await rawConnection(proxied.url);
  const second = await rawConnection(proxied.url);
  second.send(NO_KEY);
  expect((await second.last()).map(({ status }) => status)).toEqual([503]);
  first.send(NO_KEY);
  expect((await first.answers(1)).map(({ status }) => status)).toEqual([401]);
});

test('clients may reuse a connection for 65 s, longer than proxies do, unless the connection is too old', async () => {
  const kept = await rawConnection(patient.url);
  kept.send(NO_KEY);
  const [first] = await kept.answers(1);
  expect(first?.headers.get('connection')).toBe('keep-alive');
  expect(first?.headers.get('keep-alive')).toBe('timeout=65');
  const closed = await rawConnection(old.url);
  closed.send(NO_KEY);
  const answers = await closed.last();
  expect(answers.map(({ status, headers }) => [status, headers.get('connection')])).toEqual([
    [401, 'close'],
  ]);
});
