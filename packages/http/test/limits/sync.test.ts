import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { setLogger } from '@store-gateway/ops';
import { createRateLimit } from '../../src/limits/rate-limits.ts';

const POLICY = { name: 'key', quota: 1600, windowSeconds: 60 };
/** A sixteenth of the quota of 1600, and of the 800 that remain later. */
const [SHARE, LATER_SHARE] = [100, 50];

setLogger(undefined);
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A rate limit for one key. `synced` lists the number of requests that each sync added. */
function limitWith(answer: (requests: number) => Promise<number>) {
  const synced: number[] = [];
  const counts = {
    add: async (
      _policy: object,
      [counted]: readonly { readonly subject: string; readonly requests: number }[],
    ) => {
      const { subject = '', requests = 0 } = counted ?? {};
      synced.push(requests);
      return new Map([[subject, { level: await answer(requests), at: 0 }]]);
    },
  };
  const limit = createRateLimit(POLICY, counts, () => 0);
  const take = (times: number) => {
    for (let count = 0; count < times; count += 1) {
      limit.take('key');
    }
  };
  return { synced, take, remaining: () => limit.peek('key').remaining };
}

/** Like `limitWith`, but the test decides when the database answers. */
function limitWithSlowDatabase() {
  const answers: PromiseWithResolvers<number>[] = [];
  const limit = limitWith(() => {
    const answer = Promise.withResolvers<number>();
    answers.push(answer);
    return answer.promise;
  });
  return { ...limit, answers };
}

test('a request is synced within 500 ms, together with all requests that arrive until then', async () => {
  const { synced, take } = limitWith((requests) => Promise.resolve(requests));
  take(1);
  await vi.advanceTimersByTimeAsync(499);
  take(1);
  expect(synced).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(synced).toEqual([2]);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(synced).toEqual([2]);
});

test('requests are synced within 20 ms if they amount to a sixteenth of the remaining quota', async () => {
  const { synced, take, remaining } = limitWith((requests) => Promise.resolve(requests + 700));
  take(SHARE - 1);
  await vi.advanceTimersByTimeAsync(20);
  expect(synced).toEqual([]);
  take(1);
  await vi.advanceTimersByTimeAsync(20);
  expect(synced).toEqual([SHARE]);
  expect(remaining()).toBe(1600 - SHARE - 700);
  take(LATER_SHARE);
  await vi.advanceTimersByTimeAsync(20);
  expect(synced).toEqual([SHARE, LATER_SHARE]);
});

test('requests during a sync are included in the next sync', async () => {
  const { answers, synced, take, remaining } = limitWithSlowDatabase();
  take(SHARE);
  await vi.advanceTimersByTimeAsync(20);
  take(2 * SHARE);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(synced).toEqual([SHARE]);
  answers[0]?.resolve(SHARE);
  await vi.advanceTimersByTimeAsync(20);
  expect(synced).toEqual([SHARE, 2 * SHARE]);
  answers[1]?.resolve(3 * SHARE);
  await vi.advanceTimersByTimeAsync(0);
  expect(remaining()).toBe(1600 - 3 * SHARE);
});

test('sync retries an unavailable database every 500 ms, and sends it all counts when it is back', async () => {
  const { answers, synced, take, remaining } = limitWithSlowDatabase();
  take(SHARE);
  await vi.advanceTimersByTimeAsync(20);
  // These requests come before the outage is detected.
  take(SHARE);
  answers[0]?.reject(new Error('away'));
  await vi.advanceTimersByTimeAsync(499);
  expect(synced).toEqual([SHARE]);
  await vi.advanceTimersByTimeAsync(1);
  answers[1]?.reject(new Error('away'));
  await vi.advanceTimersByTimeAsync(0);
  take(SHARE);
  await vi.advanceTimersByTimeAsync(499);
  expect(synced).toEqual([SHARE, 2 * SHARE]);
  await vi.advanceTimersByTimeAsync(1);
  answers[2]?.resolve(3 * SHARE);
  await vi.advanceTimersByTimeAsync(0);
  expect(synced).toEqual([SHARE, 2 * SHARE, 3 * SHARE]);
  expect(remaining()).toBe(1600 - 3 * SHARE);
});

test('the counts of the 10,000 most recent addresses are kept in memory while the database is unavailable', async () => {
  const kept = 10_000;
  const told: number[] = [];
  const counts = {
    add: (_policy: object, counted: readonly unknown[]) => {
      told.push(counted.length);
      return Promise.reject(new Error('away'));
    },
  };
  const limit = createRateLimit(POLICY, counts, () => 0);
  for (let round = 0; round < 3; round += 1) {
    for (let address = 0; address < 3 * kept; address += 1) {
      limit.take(`${round} ${address}`);
    }
    await limit.flush();
  }
  expect(told).toEqual([kept, kept, kept]);
  const kinds = [`2 ${3 * kept - 1}`, `2 ${2 * kept}`, '0 0'];
  expect(kinds.map((kind) => limit.peek(kind).remaining)).toEqual([1599, 1599, 1600]);
});
