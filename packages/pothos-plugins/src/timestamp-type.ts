import type { SchemaTypes } from '@pothos/core';
import { GraphQLError, GraphQLScalarType } from 'graphql';
import { builderPrototype } from './builder-prototype.ts';
import { suppliedType } from './supplied-type.ts';
import { isWritable, writtenDate } from './writable-date.ts';

declare global {
  export namespace PothosSchemaTypes {
    interface SchemaBuilder<Types extends SchemaTypes> {
      /**
       * The scalar `DateTime`, a moment, exact to the millisecond: Prisma's `DateTime @db.Timestamptz(3)`. A coarser column
       * rounds; `infinity` is the last moment of the year 9999. The first call adds it to the schema.
       */
      timestampType: () => ScalarRef<Types, Date, Date>;
    }
  }
}

const EXPECTED =
  'a moment of the years 1 to 9999 with its offset, at most to the millisecond, such as 2026-11-22T09:30:00.125Z';

const MOMENT =
  /^(?<day>\d{4}-\d\d-\d\d)[Tt](?<time>\d\d:\d\d:\d\d)(?:\.(?<fraction>\d{1,3})0*)?(?:[Zz]|(?<sign>[+-])(?<hours>[01]\d|2[0-3]):(?<minutes>[0-5]\d))$/;

const timestampScalar = new GraphQLScalarType<Date, string>({
  name: 'DateTime',
  description:
    'A moment, as `2026-11-22T09:30:00.125Z` (RFC 3339), exact to the millisecond. Any offset is taken, and Z returned.',
  extensions: {
    jsonSchema: { type: 'string', format: 'date-time' },
    example: '2026-11-22T09:30:00.125Z',
    expected: EXPECTED,
  },
  serialize: writtenDate,
  parseValue: (value) => {
    // Input rules check parsed values, too.
    const time = value instanceof Date ? value.getTime() : timeOf(String(value));
    if (!isWritable(time)) {
      throw new GraphQLError(`expected ${EXPECTED}`);
    }
    return new Date(time);
  },
});

/**
 * Milliseconds since 1970; NaN for anything but RFC 3339, for days that a month lacks, and for leap seconds and fractions
 * of a millisecond, which would be stored as another moment.
 */
function timeOf(text: string): number {
  const { day, time, fraction = '', sign, hours, minutes } = MOMENT.exec(text)?.groups ?? {};
  const written = `${day}T${time}.${fraction.padEnd(3, '0')}Z`;
  const date = new Date(written);
  // JavaScript takes 30 February for a day of March, and 24:00 for the next day.
  if (Number.isNaN(date.getTime()) || date.toISOString() !== written) {
    return Number.NaN;
  }
  const offset = (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * 60_000;
  return date.getTime() - (sign === '-' ? -offset : offset);
}

builderPrototype.timestampType = suppliedType('DateTime', timestampScalar);
