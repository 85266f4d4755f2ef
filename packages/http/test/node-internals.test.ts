import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { portOf } from '../../../test/support/listen-locally.ts';

/** A connection on which a Node.js server has received a request. */
async function connection(): Promise<Socket> {
  const { promise, resolve } = Promise.withResolvers<Socket>();
  const server = createServer(({ socket }, response) => {
    resolve(socket);
    response.end();
  });
  const client = connect(await portOf(server), '127.0.0.1');
  onTestFinished(() => {
    client.destroy();
    server.close();
  });
  client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  return promise;
}

test("a socket has Node's HTTP parser with the members that we use", async () => {
  const { parser } = await connection();
  const functions = Object.values<unknown>({ ...parser }).filter(
    (member) => typeof member === 'function',
  );
  expect(functions.map(({ name }) => name)).toContain('bound onParserExecute');
  expect([typeof parser?.execute, typeof parser?.getCurrentBuffer]).toEqual([
    'function',
    'function',
  ]);
});

test('a socket has exactly one data listener, which feeds the parser', async () => {
  const socket = await connection();
  expect(socket.listeners('data')).toHaveLength(1);
});
