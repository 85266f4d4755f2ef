import { createScalar } from './scalar.ts';

const FIRST = Date.parse('0001-01-01T00:00:00.000Z');
const LAST = Date.parse('9999-12-31T23:59:59.999Z');

export const dateScalar = createScalar({
  name: 'Date',
  description: 'A date such as `2026-11-22` (RFC 3339).',
  expected: 'a date such as 2026-11-22',
  jsonSchema: { type: 'string', format: 'date' },
  example: '2026-11-22',
  parse: (value) => writable(value instanceof Date ? value : timeOf(`${String(value)}T00:00:00Z`)),
  serialize: (value) => serializeDate(value).slice(0, '2026-11-22'.length),
});

export const timestampScalar = createScalar({
  name: 'DateTime',
  description:
    'A point in time such as `2026-11-22T09:30:00.125Z` (RFC 3339), exact to the millisecond. Any offset is accepted; Z is returned.',
  expected:
    'a point in time of the years 1 to 9999 with its offset, to the millisecond at most, such as 2026-11-22T09:30:00.125Z',
  jsonSchema: { type: 'string', format: 'date-time' },
  example: '2026-11-22T09:30:00.125Z',
  parse: (value) => writable(value instanceof Date ? value : timeOf(value)),
  serialize: serializeDate,
});

/** A date, if RFC 3339 can write it. */
function writable(moment: Date | number): Date | undefined {
  const date = new Date(moment);
  return date.getTime() >= FIRST && date.getTime() <= LAST ? date : undefined;
}

const MOMENT =
  /^(?<day>\d{4}-\d\d-\d\d)[Tt](?<time>\d\d:\d\d:\d\d)(?:\.(?<fraction>\d{1,3})0*)?(?:[Zz]|(?<sign>[+-])(?<hours>[01]\d|2[0-3]):(?<minutes>[0-5]\d))$/;

/**
 * Milliseconds since 1970; NaN for anything but RFC 3339, for days that a month lacks, and for leap seconds and fractions
 * of a millisecond, which would be stored as another moment.
 */
function timeOf(text: unknown): number {
  const {
    day,
    time,
    fraction = '',
    sign,
    hours,
    minutes,
  } = MOMENT.exec(typeof text === 'string' ? text : '')?.groups ?? {};
  const written = `${day}T${time}.${fraction.padEnd(3, '0')}Z`;
  const date = new Date(written);
  // JavaScript takes 30 February for a day of March, and 24:00 for the next day.
  if (Number.isNaN(date.getTime()) || date.toISOString() !== written) {
    return Number.NaN;
  }
  const offset = (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * 60_000;
  return date.getTime() - (sign === '-' ? -offset : offset);
}

/**
 * A date as RFC 3339 writes it. The nearest that it can write stands for one beyond the years 1 to 9999: a column may have
 * `infinity`, or have rounded the last second of 9999 up.
 *
 * @throws RangeError for an invalid date, and TypeError for anything else
 */
function serializeDate(value: unknown): string {
  if (!(value instanceof Date)) {
    throw new TypeError('a moment or a day is of a Date');
  }
  return new Date(Math.min(Math.max(value.getTime(), FIRST), LAST)).toISOString();
}
