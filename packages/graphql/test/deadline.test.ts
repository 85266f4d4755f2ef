import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createDeadline } from '../src/execution/execute.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Rounding may make a deadline up to a millisecond longer. */
const ROUNDING_MS = 1;

const never = new Promise(() => undefined);

test.each([
  [0, 1000],
  [400, 600],
  [2000, 0],
])('a request that has waited %i ms times out after a further %i ms', async (waited, left) => {
  const outcome = vi.fn<(error: unknown) => void>();
  createDeadline(1000)(waited, never).catch(outcome);
  await vi.advanceTimersByTimeAsync(Math.max(0, left - 1));
  expect(outcome).toHaveBeenCalledTimes(left === 0 ? 1 : 0);
  await vi.advanceTimersByTimeAsync(1 + ROUNDING_MS);
  expect(outcome.mock.lastCall).toMatchObject([{ extensions: { code: 'SERVICE_UNAVAILABLE' } }]);
});

test('a result or an error before the deadline is returned, and no timer remains', async () => {
  const withDeadline = createDeadline(1000);
  expect(await withDeadline(0, Promise.resolve(1))).toBe(1);
  await expect(withDeadline(0, Promise.reject(new Error('no')))).rejects.toThrow('no');
  await vi.advanceTimersByTimeAsync(1000 + ROUNDING_MS);
  expect(vi.getTimerCount()).toBe(0);
});
