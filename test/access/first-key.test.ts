import { openDatabase } from '../support/store-database.ts';
import { afterEach, expect, inject, onTestFinished, test, vi } from 'vitest';
import { makeFirstKey } from '../../packages/access/src/keys/api-keys.ts';
import { log, setLogger } from '@store-gateway/ops';
import { startCuttingProxy } from '../support/cutting-proxy.ts';
import { createDatabase, TEMPLATE } from '../support/database.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

/** A store without keys, whose database breaks off the statement that asks for some so many times. */
async function storeCutOff(times: number) {
  setLogger(undefined);
  const databaseUrl = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
  const proxy = await startCuttingProxy(databaseUrl);
  const database = openDatabase(proxy.url);
  onTestFinished(async () => {
    await database.$disconnect();
    await proxy[Symbol.asyncDispose]();
  });
  let cuts = 0;
  const hasBeenCut = Promise.withResolvers<void>();
  proxy.cutBy(({ statement }) => {
    if (statement !== 'find-any-key' || cuts === times) {
      return {};
    }
    cuts += 1;
    hasBeenCut.resolve();
    return { request: 0 };
  });
  return { database, hasBeenCut: hasBeenCut.promise, warn: vi.spyOn(log, 'warn') };
}

const TROUBLE = 'could not check whether the store needs its first key; will try again';

test('a database that is away for a moment right after the start delays the first key, and that is all', async () => {
  const { database, warn } = await storeCutOff(2);
  expect(await makeFirstKey(database, new AbortController().signal, 1)).toMatch(/^asg_/);
  // Once, however often it is tried.
  expect(warn.mock.calls.map(([, message]) => message)).toEqual([TROUBLE]);
});

test('a service that can not make its first key yet gives up when it is told to stop', async () => {
  const { database, hasBeenCut, warn } = await storeCutOff(Infinity);
  const stopping = new AbortController();
  const key = makeFirstKey(database, stopping.signal, 1);
  await hasBeenCut;
  stopping.abort();
  expect(await key).toBeUndefined();
  expect(warn.mock.calls.map(([, message]) => message)).toEqual([TROUBLE]);
});
