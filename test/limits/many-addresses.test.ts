import { expect, test } from 'vitest';
import { startMeasuredGateway } from '../support/measured-gateway.ts';
import { head, rawConnection } from '../support/raw-connection.ts';

const { key, log, request, url } = await startMeasuredGateway({ trustedProxies: ['loopback'] });
// From here on its key is known.
await request('/v1/pets');

const CONNECTIONS = 60;
/** As many as run concurrently on a connection. */
const PIPELINED = 8;

function answered(): string[] {
  return log
    .text()
    .split('\n')
    .filter((line) => line.includes('"durationMs"'));
}

test('a key is not behind clients without one, however many addresses they have', async () => {
  const connections = await Promise.all(
    Array.from({ length: CONNECTIONS + 1 }, async () => {
      const connection = await rawConnection(url);
      connection.send(head('GET /livez'));
      await connection.answers(1);
      return connection;
    }),
  );
  const before = answered().length;
  connections.slice(1).forEach(({ send }, connection) => {
    const requests = Array.from({ length: PIPELINED }, (_, index) =>
      head('GET /v1/pets', `X-Forwarded-For: 2001:db8:${connection}:${index}::1`),
    );
    send(requests.join(''));
  });
  // It is rejected without asking the database, so that the order of answers is that of turns.
  connections[0]?.send(
    head('GET /v1/pets?limit=0', `Authorization: Bearer ${key}`).repeat(PIPELINED),
  );
  await Promise.all(connections.map(({ answers }) => answers(1 + PIPELINED)));
  const all = PIPELINED * (CONNECTIONS + 1);
  await expect.poll(() => answered().length).toBe(before + all);
  const last = answered()
    .slice(before)
    .findLastIndex((line) => line.includes('"keyId"'));
  expect(last).toBeLessThan(all / 2);
});
