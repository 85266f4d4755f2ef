import { expect, test } from 'vitest';
import { createMessageReader, startProxyServer } from '../support/database-proxy.ts';
import { firstKey, logWithoutDelays, startService, stopping } from '../support/service.ts';
import { newDatabase } from '../support/new-database.ts';

/** The ErrorResponse from a backend that its server terminates: severity, SQLSTATE and message. */
const FIELDS = 'SFATAL\0C57P01\0Mterminating connection due to administrator command\0\0';
const ENDED = Buffer.concat([Buffer.from('E\0\0\0\0'), Buffer.from(FIELDS)]);
ENDED.writeInt32BE(ENDED.length - 1, 1);

test('a service that stops at the same time as its database does not report a lost connection', async () => {
  const databaseUrl = await newDatabase();
  let connections = 0;
  let isStopping = false;
  await using proxy = await startProxyServer(databaseUrl, (client, database) => {
    connections += 1;
    database.pipe(client);
    client.on(
      'data',
      createMessageReader('client', ({ type, bytes }) => {
        if (type === 'X' && isStopping) {
          client.end(ENDED);
        } else {
          database.write(bytes);
        }
      }),
    );
  });
  await using service = await startService({ DATABASE_URL: proxy.url });
  await firstKey(service);
  const opened = connections;
  isStopping = true;
  service.child.kill('SIGTERM');
  await stopping(service);
  expect(await service.child.exit).toEqual({ code: 0, signal: null });
  expect(logWithoutDelays(service.child)).not.toMatch(/"level":[456]0/);
  expect(connections).toBe(opened);
});
