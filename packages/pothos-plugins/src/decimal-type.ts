import type { SchemaTypes } from '@pothos/core';
import { GraphQLError, GraphQLScalarType } from 'graphql';
import { builderPrototype, type DecimalValue } from './builder-prototype.ts';
import { suppliedType } from './supplied-type.ts';

declare global {
  export namespace PothosSchemaTypes {
    interface SchemaBuilder<Types extends SchemaTypes> {
      /**
       * The scalar `Decimal`, an exact number as text: Prisma's `Decimal`. Inputs need a rule, `decimal(65, 30)` for a column
       * without `@db.Decimal`, as the column would round what has more digits. The first call adds it to the schema.
       */
      decimalType: () => ScalarRef<Types, DecimalValue, string>;
    }
  }
}

const EXPECTED = 'a decimal number as a string, such as "12.50"';
const DECIMAL = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

const decimalScalar = new GraphQLScalarType<string, string>({
  name: 'Decimal',
  description: 'An exact decimal number, as the string `"12.5"`: no exponent, no further zeros.',
  extensions: {
    // PostgreSQL has these, too.
    jsonSchema: { type: 'string', pattern: String.raw`^(-?\d+(\.\d+)?|NaN|-?Infinity)$` },
    // For a column without a fraction, too.
    example: '12',
    expected: EXPECTED,
  },
  serialize: (value) => {
    const toFixed: unknown = value instanceof Object ? Reflect.get(value, 'toFixed') : undefined;
    return typeof toFixed === 'function' ? String(Reflect.apply(toFixed, value, [])) : parse(value);
  },
  parseValue: parse,
});

function parse(value: unknown): string {
  if (typeof value !== 'string' || !DECIMAL.test(value)) {
    throw new GraphQLError(`expected ${EXPECTED}`);
  }
  return value;
}

builderPrototype.decimalType = suppliedType('Decimal', decimalScalar);
