const MILLISECONDS = new Map([
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
]);
/** The furthest that a Date reaches from now in either direction, roughly, is 270,000 years. */
const MAXIMUM_DAYS = 36_500;

/** Milliseconds of a text such as "90d", "12h", "30m" or "45s"; undefined for any other text. */
export function parseDuration(text: string): number | undefined {
  const [, amount, unit = ''] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  const milliseconds = Number(amount) * (MILLISECONDS.get(unit) ?? Number.NaN);
  return milliseconds <= MAXIMUM_DAYS * 86_400_000 ? milliseconds : undefined;
}
