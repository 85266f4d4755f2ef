import { expect, test } from 'vitest';
import { DEFAULT_TIMEOUTS } from '@store-gateway/http';
import { startGateway } from '../support/gateway.ts';
import { head, rawConnection } from '../support/raw-connection.ts';

const young = await startGateway();
const old = await startGateway({ timeouts: { ...DEFAULT_TIMEOUTS, connection: 0 } });

test('a connection that has lived for long enough is closed with its next response, and no other', async () => {
  const [kept, closed] = await Promise.all([rawConnection(young.url), rawConnection(old.url)]);
  kept.send(head('GET /v1/pets'));
  closed.send(head('GET /v1/pets'));
  const [first] = await kept.answers(1);
  expect(first?.headers.get('connection')).toBe('keep-alive');
  const answers = await closed.last();
  expect(answers.map(({ status, headers }) => [status, headers.get('connection')])).toEqual([
    [401, 'close'],
  ]);
});
