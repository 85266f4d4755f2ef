import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { measureStalls } from '../support/machine-stalls.ts';

test('a stall is measured while it lasts, and a total counts only the part within its interval', async () => {
  const before = performance.now();
  await using stalls = await measureStalls();
  // A halted process looks like one that the machine does not schedule.
  process.kill(stalls.pid, 'SIGSTOP');
  const stopped = performance.now();
  await pause(200);
  const longest = stalls.longestSince(stopped);
  const until = performance.now();
  process.kill(stalls.pid, 'SIGCONT');
  expect(await longest).toBeGreaterThan(150);
  expect(await stalls.totalWithin(stopped)).toBeGreaterThan(150);
  expect(await stalls.totalWithin(stopped + 50, stopped + 100)).toBeCloseTo(50);
  expect(await stalls.totalWithin(0, before)).toBe(0);
  expect(await stalls.totalWithin(until, until)).toBe(0);
});
