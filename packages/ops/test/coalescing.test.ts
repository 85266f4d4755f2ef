import { performance } from 'node:perf_hooks';
import { setImmediate } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { batcherFactory, type BatchedRequest, createTimeouts } from '../src/coalescing/batcher.ts';
import { createCoalescer, memoizeLast } from '../src/coalescing/coalesce.ts';

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

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

test('a call joins the next run, never the run in flight; the callback receives whether the call leads the run', async () => {
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

test('the start function receives whether its run is for a single call', async () => {
  const alone: boolean[] = [];
  const start = async (isAlone: boolean) => {
    alone.push(isAlone);
    await setImmediate();
  };
  const coalesce = createCoalescer<void>();
  await Promise.all([coalesce('list', start), coalesce('list', start)]);
  await Promise.all([coalesce('list', start), coalesce('list', start), coalesce('list', start)]);
  expect(alone).toEqual([true, true, true, false]);
});

test('a failed run fails the calls that share it, but not the next run', async () => {
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

test('a slow run delays the next run by at most 50 ms', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const { begun, start } = manualRuns();
  const coalesce = createCoalescer<string>();
  void coalesce('list', start);
  void coalesce('list', start);
  await vi.advanceTimersByTimeAsync(49);
  expect(begun).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(begun).toHaveLength(2);
});

test('a call after all runs have settled starts a run at once', async () => {
  const { begun, start } = manualRuns();
  const coalesce = createCoalescer<string>();
  const first = coalesce('list', start);
  begun[0]?.resolve('first');
  await first;
  await setImmediate();
  void coalesce('list', start);
  expect(begun).toHaveLength(2);
});

test('memoizeLast computes a value once for equal successive arguments', () => {
  let computed = 0;
  const count = memoizeLast(() => (computed += 1));
  const [one, other] = [{}, {}];
  expect([count(one), count(one), count(other), count(one)]).toEqual([1, 1, 2, 3]);
});

type Request = BatchedRequest<number, number>;

/** A batcher whose batches are ended by the test. */
function testBatcher(maxInFlight?: number) {
  const batches: { readonly requests: readonly Request[]; readonly end: () => void }[] = [];
  const sizes: number[] = [];
  const createBatcher = batcherFactory((size) => sizes.push(size), maxInFlight);
  const run = createBatcher((requests: readonly Request[]) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const end = () => {
      for (const request of requests) {
        request.resolve(request.input * 2);
      }
      resolve();
    };
    batches.push({ requests, end });
    return promise;
  });
  return { run, batches, sizes };
}

const inputsOf = (batch: { readonly requests: readonly Request[] } | undefined) =>
  batch?.requests.map(({ input }) => input);

test('a request is never added to a batch that is already in flight', async () => {
  // With real timers, a slow batch would let the next batch start.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const { run, batches } = testBatcher();
  const early = [run(1), run(2)];
  await vi.waitUntil(() => batches.length === 1);
  const late = [run(3), run(4)];
  expect(inputsOf(batches[0])).toEqual([1, 2]);
  batches[0]?.end();
  expect(await Promise.all(early)).toEqual([2, 4]);
  await vi.waitUntil(() => batches.length === 2);
  expect(inputsOf(batches[1])).toEqual([3, 4]);
  batches[1]?.end();
  expect(await Promise.all(late)).toEqual([6, 8]);
});

test('a batch has at most 32 requests, and reports its size', async () => {
  const { run, batches, sizes } = testBatcher();
  const all = Array.from({ length: 70 }, (_, index) => run(index));
  for (const index of [0, 1, 2]) {
    await vi.waitUntil(() => batches.length > index);
    batches[index]?.end();
  }
  expect(await Promise.all(all)).toEqual(all.map((_, index) => index * 2));
  expect(sizes).toEqual([32, 32, 6]);
});

test('a failed batch fails only its own requests', async () => {
  let runs = 0;
  const run = batcherFactory()((requests: readonly Request[]) => {
    runs += 1;
    if (runs === 1) {
      return Promise.reject(new Error('lost'));
    }
    for (const { resolve, input } of requests) {
      resolve(input);
    }
    return Promise.resolve();
  });
  await expect(Promise.all([run(1), run(2)])).rejects.toThrow('lost');
  expect(await run(3)).toBe(3);
});

test('a slow batch delays the next batch only briefly', async () => {
  const { run, batches } = testBatcher();
  const first = run(1);
  await vi.waitUntil(() => batches.length === 1);
  const second = run(2);
  await vi.waitUntil(() => batches.length === 2);
  batches[1]?.end();
  expect(await second).toBe(4);
  batches[0]?.end();
  expect(await first).toBe(2);
});

/** Fakes the clock. `idle` and `busy` advance it, with the process idle or busy meanwhile. */
function fakeTime() {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  let idle = 0;
  vi.spyOn(performance.nodeTiming, 'idleTime', 'get').mockImplementation(() => idle);
  return {
    idle: (milliseconds: number) => {
      idle += milliseconds;
      vi.advanceTimersByTime(milliseconds);
    },
    busy: (milliseconds: number) => {
      vi.advanceTimersByTime(milliseconds);
    },
  };
}

test('while batches are slow, at most maxInFlight are in flight, and later requests wait for a batch to end', async () => {
  const time = fakeTime();
  const { run, batches } = testBatcher(2);
  const first = run(1);
  await setImmediate();
  expect(inputsOf(batches[0])).toEqual([1]);
  const second = [run(2), run(3)];
  await setImmediate();
  expect(batches.length).toBe(1);
  time.idle(2);
  expect(inputsOf(batches[1])).toEqual([2, 3]);
  const third = [run(4), run(5)];
  time.idle(10);
  await setImmediate();
  expect(batches.length).toBe(2);
  batches[1]?.end();
  expect(await Promise.all(second)).toEqual([4, 6]);
  await setImmediate();
  expect(inputsOf(batches[2])).toEqual([4, 5]);
  batches[2]?.end();
  batches[0]?.end();
  expect(await Promise.all([first, ...third])).toEqual([2, 8, 10]);
});

test('while a batch is slow because the process is busy, later requests wait for that batch to end', async () => {
  const time = fakeTime();
  const { run, batches } = testBatcher(2);
  const first = run(1);
  await setImmediate();
  const second = run(2);
  time.busy(10);
  await setImmediate();
  expect(batches.length).toBe(1);
  batches[0]?.end();
  expect(await first).toBe(2);
  expect(inputsOf(batches[1])).toEqual([2]);
  batches[1]?.end();
  expect(await second).toBe(4);
});

test('timeouts that are started in any order expire on time and share one timer', async () => {
  vi.useFakeTimers();
  const startTimeout = createTimeouts();
  const expired: number[] = [];
  for (const milliseconds of [300, 100, 200, 100, 0, -5]) {
    startTimeout(milliseconds, () => expired.push(milliseconds));
  }
  expect(vi.getTimerCount()).toBe(1);
  await vi.advanceTimersByTimeAsync(0);
  expect(expired).toEqual([0, -5]);
  await vi.advanceTimersByTimeAsync(99);
  expect(expired).toEqual([0, -5]);
  await vi.advanceTimersByTimeAsync(1);
  expect(expired).toEqual([0, -5, 100, 100]);
  await vi.advanceTimersByTimeAsync(200);
  expect(expired).toEqual([0, -5, 100, 100, 200, 300]);
  expect(vi.getTimerCount()).toBe(0);
});

test('a stopped timeout does not expire, but the next timeout does', async () => {
  vi.useFakeTimers();
  const startTimeout = createTimeouts();
  const expire = vi.fn<() => void>();
  startTimeout(100, expire)();
  await vi.advanceTimersByTimeAsync(60);
  const last = vi.fn<() => void>();
  startTimeout(100, last);
  await vi.advanceTimersByTimeAsync(99);
  expect(last).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(last).toHaveBeenCalledOnce();
  expect(expire).not.toHaveBeenCalled();
});

test('a timeout can start a new timeout when it expires', async () => {
  vi.useFakeTimers();
  const startTimeout = createTimeouts();
  const expired = vi.fn<() => void>();
  startTimeout(10, () => {
    startTimeout(20, expired);
  });
  await vi.advanceTimersByTimeAsync(30);
  expect(expired).toHaveBeenCalledOnce();
});
