import { expect, test } from 'vitest';
import { captureLog } from '../support/captured-log.ts';
import { onFileFinished } from '../support/clean-up.ts';
import { startCuttingProxy } from '../support/cutting-proxy.ts';
import { startGateway } from '../support/gateway.ts';

const direct = await startGateway();
const proxy = await startCuttingProxy(direct.databaseUrl);
onFileFinished(() => proxy[Symbol.asyncDispose]());
const cut = await startGateway({ databaseUrl: proxy.url });
const log = captureLog();

/** All lines with a message, as members and values. */
function linesWith(message: string): unknown[] {
  return log
    .text()
    .split('\n')
    .filter((line) => line.includes(`"msg":"${message}"`))
    .map((line): unknown => JSON.parse(line));
}

test('deprecated calls are logged outside the context of the request that made the first', async () => {
  const msg = 'deprecated field called';
  await direct.request('/v1/pets/1');
  await log.line((line) => line.includes(msg));
  expect(linesWith(msg)).toEqual([
    { level: 40, time: expect.any(Number) as unknown, keyId: '1', field: 'pet', calls: 1, msg },
  ]);
});

test('a connection lost while idle is logged outside the context of the request that opened it', async () => {
  const msg = 'idle database connection lost';
  // The second time all connections are those that requests have opened.
  for (const _ of ['first', 'second']) {
    await expect.poll(async () => (await cut.request('/v1/pets')).status).toBe(200);
    const before = linesWith(msg).length;
    proxy.cutAll();
    await expect.poll(() => linesWith(msg).length).toBeGreaterThan(before);
  }
  const lines = linesWith(msg);
  const line = {
    level: 40,
    time: expect.any(Number) as unknown,
    reason: expect.any(String) as unknown,
    msg,
  };
  expect(lines).toEqual(lines.map(() => line));
});
