import { median } from './medians.ts';

/** How fast the machine was at a moment: what a constant-body server answers, and how often a loop runs. */
export interface Speed {
  readonly requestsPerSecond: number;
  readonly loopsPerSecond: number;
}

/** By how much a speed may differ from the usual one: what is measured beside it counts for no less. */
const TOLERANCE = 0.1;

const FIGURES = ['requestsPerSecond', 'loopsPerSecond'] as const;

/** The usual speed: the median of each figure. */
export function medianSpeed(speeds: readonly Speed[]): Speed {
  const of = (figure: keyof Speed) => median(speeds.map((speed) => speed[figure])) ?? 0;
  return { requestsPerSecond: of('requestsPerSecond'), loopsPerSecond: of('loopsPerSecond') };
}

/** By how much the worst figure of some speeds differs from the usual one: 0.25 is a quarter, faster or slower. */
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
