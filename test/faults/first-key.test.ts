import { expect, inject, test } from 'vitest';
import { startCuttingProxy } from '../support/cutting-proxy.ts';
import { createDatabase, TEMPLATE } from '../support/database.ts';
import { firstKey, startService, type Service } from '../support/service.ts';

/** Starts a service whose database breaks off the statement that asks for keys, until that is let through. */
async function startCutOff(stack: AsyncDisposableStack) {
  const databaseUrl = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
  const proxy = stack.use(await startCuttingProxy(databaseUrl));
  proxy.cutBy(({ statement }) => (statement === 'find-any-key' ? { request: 0 } : {}));
  const service = stack.use(await startService({ DATABASE_URL: proxy.url }));
  await service.child.line('stdout', isTrouble);
  return { service, letThrough: () => proxy.cutBy(() => ({})) };
}

function isTrouble(line: string): boolean {
  return line.includes(
    '"msg":"could not check whether the store needs its first key; will try again"',
  );
}

async function end({ child }: Service): Promise<void> {
  child.kill('SIGTERM');
  expect(await child.exit).toEqual({ code: 0, signal: null });
  // Or else it was ended after 8 s, with that code too.
  expect(child.stdout()).toContain('"msg":"stopping"');
  expect(child.stdout().split('\n').filter(isTrouble)).toHaveLength(1);
}

test('a service that cannot make its first key yet serves, and shows one that works as soon as it can', async () => {
  await using stack = new AsyncDisposableStack();
  const { service, letThrough } = await startCutOff(stack);
  expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
  expect((await fetch(`${service.url}/v1/pets`)).status).toBe(401);
  letThrough();
  const headers = { Authorization: `Bearer ${await firstKey(service)}` };
  expect((await fetch(`${service.url}/v1/pets`, { headers })).status).toBe(200);
  await end(service);
});

test('a service that cannot make its first key yet ends when it is told to', async () => {
  await using stack = new AsyncDisposableStack();
  const { service } = await startCutOff(stack);
  await end(service);
  expect(service.child.stderr()).toBe('');
});
