import { performance } from 'node:perf_hooks';
import { setImmediate } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type BatchedRequest, batcherFactory } from '../../src/coalescing/batcher.ts';

type Request = BatchedRequest<number, number>;

/** A batcher whose batches end when the test says so. */
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

test('a request is never run by a batch that was sent before it was made', async () => {
  // A batch in flight for long would let the next one go.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
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
  } finally {
    vi.useRealTimers();
  }
});

test('a batch has 32 requests at the most, and its size is told', async () => {
  const { run, batches, sizes } = testBatcher();
  const all = Array.from({ length: 70 }, (_, index) => run(index));
  for (const index of [0, 1, 2]) {
    await vi.waitUntil(() => batches.length > index);
    batches[index]?.end();
  }
  expect(await Promise.all(all)).toEqual(all.map((_, index) => index * 2));
  expect(sizes).toEqual([32, 32, 6]);
});

test('a batch that fails fails its own requests', async () => {
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

test('a batch that takes long holds up nobody else for long', async () => {
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

/** Lets time pass in which this process does nothing else, or is busy. */
function fakeTime() {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  let idle = 0;
  vi.spyOn(performance.nodeTiming, 'idleTime', 'get').mockImplementation(() => idle);
  onTestFinished(() => {
    vi.restoreAllMocks();
    vi.useRealTimers();
  });
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

test('where batches take long, as many as may be are in flight, and what comes then waits for the first to end', async () => {
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

test('where a batch takes long because the process is busy, what comes then waits for it to end', async () => {
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
