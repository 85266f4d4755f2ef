import { expect, inject, test } from 'vitest';
import { startCuttingProxy } from '../support/cutting-proxy.ts';
import { createDatabase, TEMPLATE } from '../support/database.ts';
import { firstKey, startService, type Service } from '../support/service.ts';

/** Starts one that listens, and whose database breaks off the statement that asks for keys so many times. */
async function startCutOff(stack: AsyncDisposableStack, times: number): Promise<Service> {
  const databaseUrl = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
  const proxy = stack.use(await startCuttingProxy(databaseUrl));
  let cuts = 0;
  proxy.cutBy(({ statement }) => {
    if (statement !== 'find-any-key' || cuts === times) {
      return {};
    }
    cuts += 1;
    return { request: 0 };
  });
  const service = stack.use(await startService({ DATABASE_URL: proxy.url }));
  await service.child.line('stdout', isTrouble);
  return service;
}

function isTrouble(line: string): boolean {
  return line.includes('"msg":"whether the store needs its first key cannot be told yet"');
}

async function end({ child }: Service): Promise<void> {
  child.kill('SIGTERM');
  expect(await child.exit).toEqual({ code: 0, signal: null });
  expect(child.stdout().split('\n').filter(isTrouble)).toHaveLength(1);
}

test('a database that is away for a moment right after the start delays the first key, and that is all', async () => {
  await using stack = new AsyncDisposableStack();
  const service = await startCutOff(stack, 2);
  const headers = { Authorization: `Bearer ${await firstKey(service)}` };
  expect((await fetch(`${service.url}/v1/pets`, { headers })).status).toBe(200);
  await end(service);
});

test('a service that can not make its first key yet ends when it is told to', async () => {
  await using stack = new AsyncDisposableStack();
  const service = await startCutOff(stack, Infinity);
  await end(service);
  expect(service.child.stderr()).toBe('');
});
