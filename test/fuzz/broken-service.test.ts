import { once } from 'node:events';
import * as http from 'node:http';
import * as net from 'node:net';
import { expect, test, type TestContext } from 'vitest';
import { runRound, type RoundReport } from './run-round.ts';
import { errorBody } from '../support/error-body.ts';

/** An answer as it goes over the wire; its Content-Length is `beyond` more than there is. */
function answer(status: number, message: string, beyond = 0): string {
  const codes = new Map([
    [400, 'BAD_USER_INPUT'],
    [500, 'INTERNAL_SERVER_ERROR'],
  ]);
  const body = errorBody(status, codes.get(status) ?? 'NOT_FOUND', message);
  const length = body.length + beyond;
  return `HTTP/1.1 ${status} X\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${body}`;
}

/** Takes whatever comes for a request. */
function onBytes(act: (socket: net.Socket, bytes: string) => void): net.Server {
  return net.createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      act(socket, bytes.toString('latin1'));
    });
  });
}

const OVERLOADED = 'The service is overloaded right now. Please try again.';
const REQUEST_LINE = /^(?:GET|HEAD|POST) \S+ HTTP\/1\.1\r$/gm;

function refuse(response: http.ServerResponse): void {
  response
    .writeHead(503, { 'Content-Type': 'application/json', 'Retry-After': '1' })
    .end(errorBody(503, 'OVERLOADED', OVERLOADED));
}

/** Reads HTTP as Node does; it refuses all, and what is none properly. */
function refusingForLoad(): net.Server {
  return http
    .createServer({ requireHostHeader: false }, (_request, response) => {
      refuse(response);
    })
    .on('checkExpectation', (_request, response) => {
      refuse(response);
    })
    .on('clientError', (_error, socket) => {
      socket.end(answer(400, 'No'));
    })
    .on('connect', (_request, socket) => {
      socket.end(answer(400, 'No'));
    });
}

async function attack(
  server: net.Server,
  onTestFinished: TestContext['onTestFinished'],
): Promise<RoundReport> {
  const sockets = new Set<net.Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket.on('error', () => undefined));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.close();
    sockets.forEach((socket) => socket.destroy());
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const service = { port, key: `asg_${'k'.repeat(49)}`, faults: () => [] };
  return runRound(
    service,
    { audit: async () => [] },
    { seed: 1, from: 0, to: 500, signal: new AbortController().signal },
  );
}

// At once: most of the time some wait for an answer that doesn't come.
test.concurrent.for([
  [
    'answers with 500',
    onBytes((socket) => socket.write(answer(500, 'x'))),
    'a fault of the service: 500',
  ],
  [
    'tells where it went wrong',
    onBytes((socket) => socket.write(answer(400, 'x at f (src/rest/routes.ts:1:2)'))),
    'it tells what it should not',
  ],
  [
    'closes within an answer',
    onBytes((socket) => socket.end(answer(400, 'No', 1))),
    'the connection was closed within an answer',
  ],
  [
    'closes without an answer',
    onBytes((socket) => socket.end()),
    'the connection was closed without an answer',
  ],
  [
    'takes bodies for requests',
    onBytes((socket, bytes) => {
      bytes.match(REQUEST_LINE)?.forEach(() => socket.write('HTTP/1.1 204 X\r\n\r\n'));
    }),
    /^\d+ answers to \d requests/m,
  ],
  [
    'has too much to do whenever it is asked',
    refusingForLoad(),
    'it is refused for load when there is none',
  ],
  ['never answers', onBytes(() => undefined), 'a close within 10000 ms'],
] as const)(
  'a service that %s is found out',
  async ([_what, server, fault], { onTestFinished }) => {
    const { finding, honest } = await attack(server, onTestFinished);
    expect(finding?.faults.join('\n')).toMatch(fault);
    // And it is of no use to an honest client.
    expect(honest.added.size).toBe(0);
  },
);
