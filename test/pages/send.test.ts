import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { send } from '@store-gateway/http';

/** More than the kernel takes for a client that doesn't read. */
const BODY = Buffer.alloc(64 * 2 ** 20, 'animals ');
/** Bytes that a response may hold: a piece, and its headers. */
const LITTLE = 2 ** 18 + 2 ** 10;

test('no more than a piece of a large body is buffered for a client that does not read it', async () => {
  const responses = Promise.withResolvers<ServerResponse>();
  const answers = Promise.withResolvers<IncomingMessage>();
  const server = createServer((_request, response) => {
    send(response, 'text/plain', BODY);
    responses.resolve(response);
  });
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    get({ port: typeof address === 'object' ? address?.port : 0, agent: false }, answers.resolve);
  });
  onTestFinished(() => {
    server.close();
  });

  const response = await responses.promise;
  expect(response.writableLength).toBeLessThan(LITTLE);
  await expect.poll(() => response.writableNeedDrain).toBe(true);
  expect(response.writableLength).toBeLessThan(LITTLE);

  const answer = await answers.promise;
  expect((await buffer(answer)).equals(BODY)).toBe(true);
});
