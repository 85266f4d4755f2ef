import { median } from '../figures/medians.ts';

const TIMES = 5;
/** Steps of a loop, which take about 20 ms. */
const STEPS = 10_000_000;

/** Loops of integer arithmetic per second: the processor's speed, without memory, kernel or network. */
export function loopsPerSecond(): number {
  const rates = Array.from({ length: TIMES }, () => {
    const begin = performance.now();
    spin();
    return 1000 / (performance.now() - begin);
  });
  return median(rates) ?? 0;
}

function spin(): number {
  let state = 1;
  for (let step = 0; step < STEPS; step += 1) state = Math.imul(state ^ (state >>> 15), 0x6d2b79f5);
  return state;
}
