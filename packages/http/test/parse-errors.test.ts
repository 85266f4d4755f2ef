import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import express from 'express';
import { expect, onTestFinished, test } from 'vitest';
import { listen } from '../src/listen.ts';

test('a parse error in a body is answered in the shape of its surface, also from within a router', async () => {
  const begun = Promise.withResolvers<void>();
  const router = express.Router().use(() => {
    begun.resolve();
  });
  const { url, close } = await listen(express().use('/graphql', router), {
    host: '127.0.0.1',
    port: 0,
    maximumConnections: 10,
    surfaceOf: (path) => (path === '/graphql' ? 'graphql' : 'rest'),
  });
  onTestFinished(() => close());
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.write('POST /graphql HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n');
  await begun.promise;
  socket.write('no chunk\r\n');
  expect(await text(socket)).toContain('{"errors":[{"message":"The request is not well-formed');
});
