import { median } from './medians.ts';

/** The machine's speed at a moment: requests per second of a server with a constant body, and loops per second. */
export interface Speed {
  readonly requestsPerSecond: number;
  readonly loopsPerSecond: number;
}

/** How far the machine's speed may deviate from the usual one for a measurement to count as undisturbed. */
const TOLERANCE = 0.1;

const FIGURES = ['requestsPerSecond', 'loopsPerSecond'] as const;

/** The usual speed: the median of each figure. */
export function medianSpeed(speeds: readonly Speed[]): Speed {
  const of = (figure: keyof Speed) => median(speeds.map((speed) => speed[figure])) ?? 0;
  return { requestsPerSecond: of('requestsPerSecond'), loopsPerSecond: of('loopsPerSecond') };
}

/** The largest deviation of some speeds' figures from the usual ones: 0.25 is a quarter, faster or slower. */
export function deviation(speeds: readonly Speed[], usual: Speed): number {
  return Math.max(
    0,
    ...speeds.flatMap((speed) =>
      FIGURES.map((figure) => Math.abs(speed[figure] / usual[figure] - 1)),
    ),
  );
}

/** Whether the machine was slower or faster than usual. */
export function isOff(speeds: readonly Speed[], usual: Speed): boolean {
  return deviation(speeds, usual) > TOLERANCE;
}

/** Whether a machine is slower than one that was measured before. */
export function isSlower(speed: Speed, before: Speed): boolean {
  return FIGURES.some((figure) => speed[figure] < before[figure] * (1 - TOLERANCE));
}
