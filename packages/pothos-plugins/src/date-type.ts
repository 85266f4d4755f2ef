import type { SchemaTypes } from '@pothos/core';
import { GraphQLError, GraphQLScalarType } from 'graphql';
import { builderPrototype } from './builder-prototype.ts';
import { suppliedType } from './supplied-type.ts';
import { writtenDate } from './writable-date.ts';

declare global {
  export namespace PothosSchemaTypes {
    interface SchemaBuilder<Types extends SchemaTypes> {
      /** The scalar `Date`, a day without a time: Prisma's `DateTime @db.Date`. The first call adds it to the schema. */
      dateType: () => ScalarRef<Types, Date, Date>;
    }
  }
}

const EXPECTED = 'a date such as 2026-11-22';

const dateScalar = new GraphQLScalarType<Date, string>({
  name: 'Date',
  description: 'A day, as `2026-11-22` (RFC 3339).',
  extensions: {
    jsonSchema: { type: 'string', format: 'date' },
    example: '2026-11-22',
    expected: EXPECTED,
  },
  serialize: (value) => dayIn(writtenDate(value)),
  parseValue: (value) => {
    // Input rules check parsed values, too.
    const date = value instanceof Date ? value : new Date(typeof value === 'string' ? value : '');
    const isDay =
      value === date || (!Number.isNaN(date.getTime()) && dayIn(date.toISOString()) === value);
    if (!isDay || date.getUTCFullYear() < 1) {
      throw new GraphQLError(`expected ${EXPECTED}`);
    }
    return date;
  },
});

function dayIn(moment: string): string {
  return moment.slice(0, '2026-11-22'.length);
}

builderPrototype.dateType = suppliedType('Date', dateScalar);
