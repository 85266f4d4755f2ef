import { expect, test } from 'vitest';
import { startCuttingProxy } from '../support/database-proxy.ts';
import { newDatabase } from '../support/new-database.ts';
import { firstKey, startService } from '../support/service.ts';

const isWarning = (line: string) =>
  line.includes('"msg":"could not check whether the store needs its first key; will try again"');

async function startWithoutKey(stack: AsyncDisposableStack) {
  const databaseUrl = await newDatabase();
  const proxy = stack.use(await startCuttingProxy(databaseUrl));
  proxy.cutBy(({ statement }) => (statement === 'find-any-key' ? { request: 0 } : {}));
  const service = stack.use(await startService({ DATABASE_URL: proxy.url }));
  await service.child.line('stdout', isWarning);
  expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
  expect((await fetch(`${service.url}/v1/pets`)).status).toBe(401);
  return { ...service, proxy };
}

test('a service that cannot create its first key at startup shows a working key as soon as it can', async () => {
  await using stack = new AsyncDisposableStack();
  const { proxy, ...service } = await startWithoutKey(stack);
  proxy.cutBy(() => ({}));
  const headers = { Authorization: `Bearer ${await firstKey(service)}` };
  expect((await fetch(`${service.url}/v1/pets`, { headers })).status).toBe(200);
});

test('a service that cannot create its first key at startup warns once, and exits on SIGTERM', async () => {
  await using stack = new AsyncDisposableStack();
  const { child } = await startWithoutKey(stack);
  child.kill('SIGTERM');
  expect(await child.exit).toEqual({ code: 0, signal: null });
  // Without this line, the service was forced to exit after 8 s, with the same code.
  expect(child.stdout()).toContain('"msg":"stopping"');
  expect(child.stdout().split('\n').filter(isWarning)).toHaveLength(1);
  expect(child.stderr()).toBe('');
});
