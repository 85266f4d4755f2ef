import { request, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { newDatabase } from '../support/new-database.ts';
import { firstKey, startService, stopping } from '../support/service.ts';

/** This is a timing test because the service accepts new connections for only 2 s after the signal. */
test('/readyz reports a shutdown while other requests are still served', async () => {
  const databaseUrl = await newDatabase();
  await using service = await startService({ DATABASE_URL: databaseUrl });
  const headers = { Authorization: `Bearer ${await firstKey(service)}` };
  const getOnNewConnection = async (path: string) => {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      request(service.url + path, { agent: false, headers })
        .once('response', resolve)
        .once('error', reject)
        .end();
    });
    const { statusCode: status, headers: received } = response;
    return { status, headers: received, text: await text(response) };
  };
  expect((await getOnNewConnection('/readyz')).status).toBe(200);
  service.child.kill('SIGTERM');
  await stopping(service);
  const [ready, list] = await Promise.all(['/readyz', '/v1/pets'].map(getOnNewConnection));
  expect(ready).toMatchObject({
    status: 503,
    headers: { 'retry-after': '1' },
    text: 'not ready: shutting down\n',
  });
  expect(list).toMatchObject({ status: 200, headers: { connection: 'close' } });
  await expect.poll(() => getOnNewConnection('/livez').catch(String)).toContain('ECONNREFUSED');
  expect(await service.child.exit).toEqual({ code: 0, signal: null });
});
