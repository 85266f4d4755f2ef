const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 10_000;

/** A worker that has lived for so long has not died of its start. */
const STABLE_MS = 10_000;

export type Death = ReturnType<typeof backOff>;

/**
 * How long to wait before a worker that has died is replaced, and how many have died early in a row by now.
 *
 * @param earlyDeaths in a row, before this one
 */
export function backOff(livedMs: number, earlyDeaths: number) {
  const isEarly = livedMs < STABLE_MS;
  const count = isEarly ? earlyDeaths + 1 : 0;
  // The first one is replaced at once.
  const delayMs = count < 2 ? 0 : Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (count - 2));
  return { delayMs, earlyDeaths: count };
}
