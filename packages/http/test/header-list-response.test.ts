import { once } from 'node:events';
import { createServer, ServerResponse, type RequestListener } from 'node:http';
import express from 'express';
import { expect, onTestFinished, test } from 'vitest';
import { HeaderListResponse } from '../src/header-list-response.ts';
import { createReject } from '../src/request-head.ts';
import { routeTo } from '../src/endpoints.ts';
import { rawConnection } from '../../../test/support/raw-connection.ts';

type Answer = (response: ServerResponse) => void;

/** What is sent, as it is on the wire. */
async function sent(kind: typeof ServerResponse, answer: Answer): Promise<string> {
  const server = createServer({ ServerResponse: kind }, (_request, response) => {
    response.sendDate = false;
    answer(response);
  }).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.close();
  });
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  const { socket, ended } = await rawConnection(`http://127.0.0.1:${port}`);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.end('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  await ended;
  return Buffer.concat(chunks).toString();
}

const app = express();
app.disable('x-powered-by');
app.use((_request, response) => response.vary('Accept').set('X-App', 'express').end('body'));
const routed = routeTo(
  [],
  app,
  createReject(() => 'rest'),
);
const throughExpress: RequestListener = (request, response) => {
  response.setHeader('Vary', 'Origin');
  response.setHeader('X-Prepared', 'yes');
  routed(request, response);
};

const CASES: Readonly<Record<string, Answer>> = {
  none: (response) => response.end(),
  'set twice, in another case': (response) => {
    response.setHeader('ETag', '"1"').setHeader('Vary', 'A').setHeader('etag', '"2"').end('body');
  },
  'of several values': (response) => {
    response.setHeader('Link', ['<a>', '<b>']).appendHeader('link', '<c>');
    response.appendHeader('Vary', ['A', 'B']).end('body');
  },
  removed: (response) => {
    response.setHeader('Vary', 'A').setHeader('Link', '<a>');
    response.removeHeader('vary');
    response.removeHeader('Content-Length');
    response.end('body');
  },
  'given to writeHead': (response) => {
    response.setHeader('Vary', 'A').setHeader('Link', '<a>');
    response.writeHead(201, 'Made', ['vary', 'B', 'X-More', '1']).end('body');
  },
  'given to writeHead alone': (response) => response.writeHead(202, { Vary: 'B' }).end('body'),
  read: (response) => {
    response.setHeader('X-One', 1).setHeader('Link', ['<a>', '<b>']);
    const { 'x-one': one, link } = response.getHeaders();
    const read = [one, link, response.getHeader('LINK'), response.getHeader('none')];
    const names = [response.getHeaderNames(), response.hasHeader('x-one')];
    response.end(JSON.stringify([read, names]));
    expect(response.getHeader('Link')).toEqual(['<a>', '<b>']);
    expect(() => response.setHeader('Late', '1')).toThrow('after they are sent');
  },
  'with a line break': (response) => {
    response.setHeader('Link', '<a>');
    expect(() => response.setHeader('Location', '/\r\nSet-Cookie: a=b')).toThrow('Invalid');
    expect(() => response.appendHeader('Link', '<b>\n')).toThrow('Invalid');
    response.end('body');
  },
  'given to writeHead as an object': (response) => {
    response.setHeader('Vary', 'A').setHeader('Link', '<a>');
    response.writeHead(201, { link: ['<b>', '<c>'], 'X-More': 1 });
    response.end('body');
  },
  'of a route of Express': (response) => {
    throughExpress(response.req, response);
  },
};

test.each(Object.entries(CASES))("headers %s are sent as Node's own", async (_name, answer) => {
  expect(await sent(HeaderListResponse, answer)).toBe(await sent(ServerResponse, answer));
});
