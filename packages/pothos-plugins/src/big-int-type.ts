import type { SchemaTypes } from '@pothos/core';
import { GraphQLError, GraphQLScalarType, Kind } from 'graphql';
import { builderPrototype } from './builder-prototype.ts';
import { int64, toInt64 } from './input-rules.ts';
import { suppliedType } from './supplied-type.ts';

declare global {
  export namespace PothosSchemaTypes {
    interface SchemaBuilder<Types extends SchemaTypes> {
      /**
       * The scalar `BigInt`, an integer of 64 bits: Prisma's `BigInt`. As ids, it is text in GraphQL and an integer in REST. The
       * first call adds it to the schema.
       */
      bigIntType: () => ScalarRef<Types, bigint, bigint>;
    }
  }
}

const bigIntScalar = new GraphQLScalarType<bigint, string>({
  name: 'BigInt',
  description: 'An integer of 64 bits, as the string `"42"`. An integer is taken, too.',
  extensions: { jsonSchema: int64.jsonSchema, example: 42, expected: int64.expected },
  serialize: (value) => String(parse(value)),
  parseValue: parse,
  // A double would round what JavaScript takes for a number.
  parseLiteral: (node) =>
    parse(node.kind === Kind.INT || node.kind === Kind.STRING ? node.value : undefined),
});

function parse(value: unknown): bigint {
  const isExact =
    typeof value === 'string' || typeof value === 'bigint' || Number.isSafeInteger(value);
  const integer = isExact ? toInt64(String(value)) : undefined;
  if (integer === undefined) {
    throw new GraphQLError(`expected ${int64.expected}`);
  }
  return integer;
}

builderPrototype.bigIntType = suppliedType('BigInt', bigIntScalar);
