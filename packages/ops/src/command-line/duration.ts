const MILLISECONDS = new Map([
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
]);

/** 36,500 days, well within what a Date can hold. */
const MAXIMUM_MS = 36_500 * 86_400_000;

/** Milliseconds of a text such as "90d", "12h", "30m" or "45s"; undefined for any other text. */
export function parseDuration(text: string): number | undefined {
  const [, amount, unit = ''] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  const milliseconds = Number(amount) * (MILLISECONDS.get(unit) ?? Number.NaN);
  return milliseconds <= MAXIMUM_MS ? milliseconds : undefined;
}
