import { expect, test } from 'vitest';
import { backOff } from '../../src/workers/supervisor.ts';

test('the delay doubles with each early death, until a worker lives for a while', () => {
  let death = backOff(0, 0);
  const delays = Array.from({ length: 10 }, () => {
    const { delayMs } = death;
    death = backOff(0, death.earlyDeaths);
    return delayMs;
  });
  expect(delays).toEqual([0, 100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000]);
  expect(backOff(10_000, death.earlyDeaths)).toEqual({ delayMs: 0, earlyDeaths: 0 });
});
