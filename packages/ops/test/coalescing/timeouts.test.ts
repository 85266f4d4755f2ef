import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createTimeouts } from '../../src/coalescing/batcher.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('each expires at its time, in whichever order they were started, and all share a timer', async () => {
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

test('one that is stopped does not expire, and the next still does, however late it was started', async () => {
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

test('one may start another as it expires', async () => {
  const startTimeout = createTimeouts();
  const expired = vi.fn<() => void>();
  startTimeout(10, () => {
    startTimeout(20, expired);
  });
  await vi.advanceTimersByTimeAsync(30);
  expect(expired).toHaveBeenCalledOnce();
});
