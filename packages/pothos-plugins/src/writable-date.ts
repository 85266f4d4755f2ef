const FIRST = Date.parse('0001-01-01T00:00:00.000Z');
const LAST = Date.parse('9999-12-31T23:59:59.999Z');

/** Whether RFC 3339 can write a time, in milliseconds since 1970. */
export function isWritable(time: number): boolean {
  return time >= FIRST && time <= LAST;
}

/**
 * A date as RFC 3339 writes it. The nearest that it can write stands for one beyond the years 1 to 9999: a column may have
 * `infinity`, or have rounded the last second of 9999 up.
 *
 * @throws RangeError for an invalid date, as which Prisma's engine reads those beyond, and TypeError for anything else
 */
export function writtenDate(value: unknown): string {
  if (!(value instanceof Date)) {
    throw new TypeError('a moment or a day is of a Date');
  }
  return new Date(Math.min(Math.max(value.getTime(), FIRST), LAST)).toISOString();
}
