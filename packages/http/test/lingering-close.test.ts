import { expect, onTestFinished, test, vi } from 'vitest';
import { listen } from '../src/listen.ts';
import { head, rawConnection } from '../../../test/support/raw-connection.ts';
import { isResetBySending } from '../../../test/support/reset-by-sending.ts';

test('a request behind the last answer of a connection is not executed', async () => {
  const executed: (string | undefined)[] = [];
  const server = await listen(
    ({ url }, response) => {
      executed.push(url);
      response.setHeader('Connection', 'close').end();
    },
    { host: '127.0.0.1', port: 0, maximumConnections: 10 },
  );
  onTestFinished(() => server.close());
  const connection = await rawConnection(server.url);
  connection.send(head('GET /last'));
  await connection.ended;
  expect(await isResetBySending(connection, head('GET /next'))).toBe(false);
  expect(executed).toEqual(['/last']);
});

test('a server that closes lets the last answers linger, too', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const server = await listen((_request, response) => response.end(), {
    host: '127.0.0.1',
    port: 0,
    maximumConnections: 10,
  });
  const connection = await rawConnection(server.url);
  connection.send(head('GET /first'));
  await connection.answers(1);
  const closed = server.close();
  // It looks for idle connections from now on.
  await expect.poll(() => vi.getTimerCount()).toBeGreaterThan(0);
  connection.send(head('GET /last'));
  await connection.answers(2);
  vi.advanceTimersToNextTimer();
  expect(await isResetBySending(connection, 'x')).toBe(false);
  vi.advanceTimersToNextTimer();
  await closed;
});
