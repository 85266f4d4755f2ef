import { expect, test } from 'vitest';
import { startMeasuredGateway } from '../support/measured-gateway.ts';
import { openPost } from '../support/node-request.ts';
import { head, rawConnection } from '../support/raw-connection.ts';

const gateway = await startMeasuredGateway({ maximumConnections: 1 });
const { log, moved, toldOf, url } = gateway;

const COUNTS = /(?:^animal_store|^http)\w+_(?:total|count)\{/;
const OVERLOADED =
  'http_server_request_duration_seconds_count{surface=rest operation=overloaded http_response_status_code=503}';

test('connections over the maximum are counted as overloaded, and the oldest of far too many as unread', async () => {
  expect(await toldOf('http_server_open_connections_max')).toEqual({ '': 1 });
  const inUse = await openPost(gateway, '/v1/pets');
  const beyond = await rawConnection(url);
  const counted = await moved(COUNTS, async () => {
    beyond.send(head('GET /v1/pets', 'X-Request-Id: beyond'));
    expect((await beyond.last()).map(({ status }) => status)).toEqual([503]);
    await log.line((line) => line.includes('"requestId":"beyond"'));
  });
  expect(counted).toEqual({ [OVERLOADED]: 1 });

  beyond.socket.destroy();
  await expect.poll(() => toldOf('http_server_open_connections')).toEqual({ '': 1 });
  const closed: number[] = [];
  const unanswered = await moved(COUNTS, async () => {
    for (let connections = 1; connections < 103; connections += 1) {
      const { ended } = await rawConnection(url);
      void ended.then(() => closed.push(connections));
    }
    await expect.poll(() => closed).toEqual([1, 2]);
  });
  expect(unanswered).toEqual({
    'animal_store_unread_requests_total{http_response_status_code=none}': 2,
  });
  expect(await toldOf('http_server_open_connections')).toEqual({ '': 101 });
  inUse.on('error', () => undefined).destroy();
});
