import { expect, test, vi } from 'vitest';
import { createCoalescer, memoizeLast } from '../../src/coalescing/coalesce.ts';

/** Runs that the test settles, in the order in which they began. */
function manualRuns() {
  const begun: PromiseWithResolvers<string>[] = [];
  const start = (): Promise<string> => {
    const run = Promise.withResolvers<string>();
    begun.push(run);
    return run.promise;
  };
  return { begun, start };
}

test('a call joins the next run, never the one in flight, and is told whether it leads', async () => {
  const calls: boolean[] = [];
  const { begun, start } = manualRuns();
  const coalesce = createCoalescer<string>((leads) => calls.push(leads));
  const first = coalesce('list', start);
  const others = [1, 2, 3].map(() => coalesce('list', start));
  const another = coalesce('other list', () => Promise.resolve('other'));
  expect(calls).toEqual([true, true, false, false, true]);
  expect(begun).toHaveLength(1);
  begun[0]?.resolve('first');
  expect(await first).toBe('first');
  await vi.waitUntil(() => begun.length === 2);
  begun[1]?.resolve('next');
  expect(await Promise.all(others)).toEqual(['next', 'next', 'next']);
  expect(await another).toBe('other');
  expect(calls).toHaveLength(5);
});

test('a run is told whether anybody else gets its result', async () => {
  const alone: boolean[] = [];
  const start = async (isAlone: boolean) => {
    alone.push(isAlone);
    await new Promise(setImmediate);
  };
  const coalesce = createCoalescer<void>();
  await Promise.all([coalesce('list', start), coalesce('list', start)]);
  await Promise.all([coalesce('list', start), coalesce('list', start), coalesce('list', start)]);
  expect(alone).toEqual([true, true, true, false]);
});

test('a run that fails fails those who share it, and the next one is another', async () => {
  const { begun, start } = manualRuns();
  const coalesce = createCoalescer<string>();
  const first = coalesce('list', start);
  const second = coalesce('list', start);
  begun[0]?.reject(new Error('away'));
  await expect(first).rejects.toThrow('away');
  await vi.waitUntil(() => begun.length === 2);
  begun[1]?.resolve('back');
  expect(await second).toBe('back');
});

test('a slow run holds up the next one for 50 ms at most', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const { begun, start } = manualRuns();
    const coalesce = createCoalescer<string>();
    void coalesce('list', start);
    void coalesce('list', start);
    await vi.advanceTimersByTimeAsync(49);
    expect(begun).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(begun).toHaveLength(2);
  } finally {
    vi.useRealTimers();
  }
});

test('a call after all runs have settled leads a run at once', async () => {
  const { begun, start } = manualRuns();
  const coalesce = createCoalescer<string>();
  const first = coalesce('list', start);
  begun[0]?.resolve('first');
  await first;
  await new Promise(setImmediate);
  void coalesce('list', start);
  expect(begun).toHaveLength(2);
});

test('a value is computed once for callers that come one right after the other', () => {
  let computed = 0;
  const count = memoizeLast(() => (computed += 1));
  const [one, other] = [{}, {}];
  expect([count(one), count(one), count(other), count(one)]).toEqual([1, 1, 2, 3]);
});
