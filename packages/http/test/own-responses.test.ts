import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { keepResponse, requestContext } from '@store-gateway/ops';
import { coalesceResponses } from '../src/coalesced-responses.ts';
import { send } from '../src/message/send.ts';

/**
 * Asks for the same from each address at once, until all have come, before any is answered.
 *
 * @returns how often the handler was called, in each of two rounds
 */
async function askFrom(
  addresses: readonly string[],
  handle: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<{ readonly calls: readonly number[]; readonly texts: readonly string[] }> {
  let [calls, arrived] = [0, 0];
  let all = Promise.withResolvers<void>();
  const handleLater = async (request: IncomingMessage, response: ServerResponse) => {
    await all.promise;
    handle(request, response);
  };
  const answer = coalesceResponses(
    (request, response) => {
      calls += 1;
      void handleLater(request, response);
    },
    new Set(['/']),
    undefined,
  );
  const server = createServer((request, response) => {
    requestContext.run({ id: 'one' }, () => {
      answer(request, response);
    });
    arrived += 1;
    if (arrived === addresses.length) {
      all.resolve();
    }
  }).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.close();
  });
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const counts = [];
  const texts: string[] = [];
  for (let round = 0; round < 2; round += 1) {
    [calls, arrived, all] = [0, 0, Promise.withResolvers<void>()];
    const asked = addresses.map(
      (localAddress) =>
        new Promise<string>((resolve, reject) => {
          get({ host: '127.0.0.1', port, path: '/', localAddress, agent: false }, (response) => {
            resolve(text(response));
          }).once('error', reject);
        }),
    );
    texts.push(...(await Promise.all(asked)));
    counts.push(calls);
  }
  return { calls: counts, texts };
}

const ONE = Array.from({ length: 8 }, () => '127.0.0.1');

test('a response that anybody may have is shared', async () => {
  const { calls } = await askFrom(ONE, (_request, response) => {
    send(response, 'text/plain', 'same');
  });
  // The first, and the one that the others wait for.
  expect(calls).toEqual([2, 2]);
});

test.each([
  ['is for its request alone', keepResponse],
  ['sets a cookie', (response: ServerResponse) => response.setHeader('Set-Cookie', 'a=1')],
])('a response that %s is repeated to nobody, nor are later ones', async (_what, keep) => {
  const { calls } = await askFrom(ONE, (_request, response) => {
    keep(response);
    send(response, 'text/plain', 'own');
  });
  expect(calls).toEqual([8, 8]);
});

test('each address gets its own answer', async () => {
  const addresses = [...ONE.slice(4), ...ONE.slice(4).map(() => '127.0.0.2')];
  const { texts } = await askFrom(addresses, (request, response) => {
    send(response, 'text/plain', request.socket.remoteAddress ?? '');
  });
  expect(texts).toEqual([...addresses, ...addresses]);
});
