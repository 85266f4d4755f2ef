import { once } from 'node:events';
import * as http from 'node:http';
import * as net from 'node:net';
import { expect, test } from 'vitest';
import { errorBody } from '../support/error-body.ts';
import { exchangesOf } from './generate.ts';
import { runRound } from './run.ts';

/** A response whose Content-Length exceeds its body by `beyond` bytes. */
function answer(status: number, code: string, message: string, beyond = 0): string {
  const body = errorBody(status, code, message);
  const length = body.length + beyond;
  return `HTTP/1.1 ${status} X\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${body}`;
}

const NO = answer(400, 'BAD_USER_INPUT', 'No');
const OVERLOADED = 'The service is overloaded right now. Please try again.';
const REQUEST_LINE = /^(?:GET|HEAD|POST) \S+ HTTP\/1\.1\r$/gm;

/** A server that does not parse HTTP. */
function onBytes(act: (socket: net.Socket, bytes: string) => void): net.Server {
  return net.createServer((socket) => {
    socket.on('data', (bytes) => {
      act(socket, bytes.toString('latin1'));
    });
  });
}

const refuse: http.RequestListener = (_request, response) => {
  const body = errorBody(503, 'OVERLOADED', OVERLOADED);
  const headers = { 'Content-Type': 'application/json', 'Content-Length': body.length };
  response.writeHead(503, { ...headers, 'Retry-After': '1' }).end(body);
};
const refusingForLoad = http
  .createServer({ requireHostHeader: false }, refuse)
  .on('checkExpectation', refuse)
  .on('clientError', (_error, socket) => socket.end(NO))
  .on('connect', (_request, socket) => socket.end(NO));

// Concurrent, because the tests mostly wait for responses that never come.
test.concurrent.for<readonly [string, net.Server, string | RegExp]>([
  [
    'answers with 500',
    onBytes((socket) => socket.write(answer(500, 'INTERNAL_SERVER_ERROR', 'x'))),
    'a fault of the service: 500',
  ],
  [
    'closes the connection within a response',
    onBytes((socket) => socket.end(answer(400, 'BAD_USER_INPUT', 'No', 1))),
    'the connection was closed within an answer',
  ],
  [
    'reads bodies as requests',
    onBytes((socket, bytes) => {
      bytes.match(REQUEST_LINE)?.forEach(() => socket.write('HTTP/1.1 204 X\r\n\r\n'));
    }),
    /^\d+ answers to \d requests/m,
  ],
  [
    'rejects every request because of load',
    refusingForLoad,
    'it is refused for load when there is none',
  ],
  ['never answers', onBytes(() => undefined), 'no close within 10000 ms'],
])('a round of fuzzing detects a service that %s', async ([_what, server, fault], context) => {
  const sockets = new Set<net.Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket.on('error', () => undefined));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  context.onTestFinished(() => {
    server.close();
    sockets.forEach((socket) => socket.destroy());
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const { finding, honest } = await runRound(
    { port, key: `asg_${'k'.repeat(49)}`, faults: () => [] },
    { audit: async () => [] },
    exchangesOf(1, 0, 500),
    { from: 0, signal: context.signal },
  );
  expect(finding?.faults.join('\n')).toMatch(fault);
  expect(honest.added.size).toBe(0);
});
