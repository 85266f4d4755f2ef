import { describe, expect, test } from 'vitest';
import type { ConnectionTimes } from '../../src/app/connection-bounds.ts';
import { errorBody, graphqlErrorBody } from '../support/error-body.ts';
import { startGateway } from '../support/gateway.ts';
import type { WireAnswer } from '../support/http-answers.ts';
import { head, rawConnection } from '../support/raw-connection.ts';

/** Milliseconds in which a machine at work has read what is sent, and answers what it can answer. */
const SHORT = 3000;
/** As in production, but for one. */
const impatient = (times: Partial<ConnectionTimes>) =>
  startGateway({ times: { check: 10, ...times } });

const [impatientOfHeads, impatientOfBodies, impatientOfReaders, impatientOfPauses] =
  await Promise.all([
    impatient({ head: SHORT }),
    impatient({ head: SHORT, request: SHORT }),
    impatient({ answer: 400 }),
    impatient({ idle: SHORT }),
  ]);
const patient = await startGateway();
const few = await startGateway({ maximumConnections: 2 });

const TOO_SLOW = [408, 'REQUEST_TIMEOUT', 'The request took too long to arrive'] as const;
const OVERLOADED = [
  503,
  'OVERLOADED',
  'The service has too much to do right now. Please try again.',
] as const;
const form = ({ status, body }: WireAnswer) => [status, body.toString()];
const PROBE = head('GET /livez');
const PETS = head('GET /v1/pets', `Authorization: Bearer ${few.key}`);

// At once: most of the time they wait.
describe.concurrent('in time', () => {
  test.for([
    ['stops in its head', PROBE.slice(0, -2), []],
    ['stops in its first line', 'GET ', []],
    ['stops in its head, as the second on its connection', PROBE + PROBE.slice(0, -2), [200]],
  ] as const)(
    'a request that %s is 408 when its time is over',
    async ([_what, bytes, before], context) => {
      const connection = await rawConnection(impatientOfHeads.url, context);
      connection.send(bytes);
      const answers = await connection.last();
      expect(answers.map(({ status }) => status)).toEqual([...before, 408]);
      expect(answers.slice(-1).map(form)).toEqual([[408, errorBody(...TOO_SLOW)]]);
    },
  );

  test('a head that comes byte by byte has no more time than another', async (context) => {
    const connection = await rawConnection(impatientOfHeads.url, context);
    connection.send(PROBE.replace('store\r\n\r\n', ''));
    const dripping = setInterval(() => {
      connection.send('a');
    }, 20);
    const answers = await connection.last();
    clearInterval(dripping);
    expect(answers.map(form)).toEqual([[408, errorBody(...TOO_SLOW)]]);
  });

  test('a connection on which nothing ever comes is closed without a word', async (context) => {
    const connection = await rawConnection(impatientOfHeads.url, context);
    expect(await connection.last()).toEqual([]);
  });

  test.for([
    ['has a length', 'Content-Length: 100', '{"name":'],
    ['comes in chunks', 'Transfer-Encoding: chunked', '8\r\n{"name":'],
  ] as const)(
    'a body that %s and never ends is 408, under the id of its request',
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

  test('whoever was answered before their body came is not answered twice', async (context) => {
    const connection = await rawConnection(impatientOfBodies.url, context);
    connection.send(`${head('POST /v1/pets', 'Content-Length: 100')}{`);
    expect((await connection.last()).map(({ status }) => status)).toEqual([401]);
  });

  test('a connection that is not used again is closed, when clients are told', async (context) => {
    const connection = await rawConnection(impatientOfPauses.url, context);
    connection.send(PROBE);
    const answers = await connection.last();
    expect(answers.map(({ status }) => status)).toEqual([200]);
  });
});

test('a client that does not read what it asked for is cut off', async () => {
  // Made once for all gateways of a process, which takes its time.
  const page = { headers: { Accept: 'text/html', 'Accept-Encoding': 'identity' } };
  const { byteLength } = await (await fetch(`${patient.url}/graphql`, page)).arrayBuffer();
  const { socket, send, ended } = await rawConnection(impatientOfReaders.url);
  socket.pause();
  // Many pages are more than what systems keep for those who don't read.
  send(head('GET /graphql', 'Accept: text/html').repeat(20));
  // Whoever doesn't read notices the end when they write; an empty line before a request means nothing.
  const writing = setInterval(() => {
    send('\r\n');
  }, 20);
  await ended;
  clearInterval(writing);
  expect(socket.bytesRead).toBeLessThan(byteLength);
});

test('clients are told to use a connection again within 65 s: longer than proxies wait', async () => {
  const connection = await rawConnection(patient.url);
  connection.send(PROBE);
  const [answer] = await connection.answers(1);
  expect(answer?.headers.get('keep-alive')).toBe('timeout=65');
});

test('beyond the connections that there may be, requests are 503, and others unharmed', async () => {
  const [first, second] = [await rawConnection(few.url), await rawConnection(few.url)];
  first.send(PETS);
  second.send(PETS);
  await Promise.all([first.answers(1), second.answers(1)]);

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

  first.send(PETS);
  expect((await first.answers(2)).map(({ status }) => status)).toEqual([200, 200]);
  // Until a client closes its side, its connection counts.
  for (const { socket } of [second, third, fourth, probing]) {
    socket.destroy();
  }
  await expect
    .poll(async () => {
      const next = await rawConnection(few.url);
      next.send(PETS);
      const [answer] = await next.answers(1);
      next.socket.destroy();
      return answer?.status;
    })
    .toBe(200);
});

test('far beyond them connections are closed at once', async () => {
  const connections = await Promise.all(
    Array.from({ length: 103 }, async () => {
      const connection = await rawConnection(few.url);
      connection.send(PROBE);
      return connection;
    }),
  );
  // The others are kept, for longer than a test may take.
  expect(await Promise.race(connections.map(({ last }) => last()))).toEqual([]);
});
