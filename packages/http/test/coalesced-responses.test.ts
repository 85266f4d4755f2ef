import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { coalesceResponses } from '../src/coalesced-responses.ts';
import { send } from '../src/message/send.ts';
import { nodeRequest } from '../../../test/support/node-request.ts';

test('what is refused because of an address is not told to others, who may have another', async () => {
  const COUNT = 10;
  let arrived = 0;
  let asked = 0;
  const all = Promise.withResolvers<void>();
  const refuse = async (response: ServerResponse) => {
    asked += 1;
    await all.promise;
    response.statusCode = 429;
    send(response, 'text/plain', '');
  };
  const answer = coalesceResponses(
    (_request, response) => void refuse(response),
    new Set(['/']),
    undefined,
  );
  const server = createServer((request, response) => {
    answer(request, response);
    arrived += 1;
    if (arrived === COUNT) {
      all.resolve();
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? String(address?.port) : ''}`;
  const answers = await Promise.all(
    Array.from({ length: COUNT }, () => nodeRequest({ url, key: 'unknown' }, '/')),
  );
  server.close();
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 429));
  expect(asked).toBe(COUNT);
});
