import { expect, test } from 'vitest';
import { createFailedAttempts } from '../../packages/access/src/keys/failed-attempts.ts';
import { createValidKeys } from '../../packages/access/src/keys/authenticate.ts';
import { setLogger } from '@store-gateway/ops';
import { createRateLimit } from '@store-gateway/http/limits';

setLogger(undefined);

const KEPT = 10_000;
const POLICY = { name: 'failed-auth', quota: 2, windowSeconds: 60 };

/** A limit whose database is away; `told` has how many subjects it was to hear of each time. */
function limitAlone() {
  const told: number[] = [];
  const counts = {
    add: (_policy: object, counted: readonly unknown[]) => {
      told.push(counted.length);
      return Promise.reject(new Error('away'));
    },
  };
  return { told, limit: createRateLimit(POLICY, counts, () => 0) };
}

test('the counts of the last 10,000 addresses are kept, even if they cannot be stored', async () => {
  const { told, limit } = limitAlone();
  for (let round = 0; round < 3; round += 1) {
    for (let address = 0; address < 3 * KEPT; address += 1) {
      limit.take(`${round} ${address}`);
    }
    await limit.flush();
  }
  expect(told).toEqual([KEPT, KEPT, KEPT]);
  expect(limit.peek(`2 ${3 * KEPT - 1}`).remaining).toBe(1);
  expect(limit.peek(`2 ${2 * KEPT}`).remaining).toBe(1);
  expect(limit.peek('0 0').remaining).toBe(2);
});

test('the last 10,000 valid keys are known', async () => {
  const { limit } = limitAlone();
  const validKeys = createValidKeys();
  const begin = createFailedAttempts(limit, validKeys, () => undefined);
  for (const address of ['other', 'address', 'address']) {
    using bad = await begin('bad', address);
    bad.failed();
  }
  for (let key = 0; key <= KEPT; key += 1) {
    validKeys.set(`key ${key}`, String(key));
  }
  const isRefused = (key: string) =>
    begin(key, 'address').then(
      () => false,
      () => true,
    );
  expect(await Promise.all(['bad', 'key 0', 'key 1', `key ${KEPT}`].map(isRefused))).toEqual([
    true,
    true,
    false,
    false,
  ]);
});
