import type { SchemaTypes } from '@pothos/core';
import type { GraphQLScalarType } from 'graphql';
import { bigIntScalar } from './big-int-scalar.ts';
import {
  builderPrototype,
  type AnyTypes,
  type DecimalValue,
  type JsonInput,
} from './builder-prototype.ts';
import { bytesScalar } from './bytes-scalar.ts';
import { dateScalar, timestampScalar } from './date-scalars.ts';
import { decimalScalar } from './decimal-scalar.ts';
import { jsonScalar } from './json-scalar.ts';

declare global {
  export namespace PothosSchemaTypes {
    /** The first call of a scalar's method adds it to the schema. */
    interface SchemaBuilder<Types extends SchemaTypes> {
      /** The scalar `BigInt`, an integer of 64 bits: Prisma's `BigInt`. As ids, it is text in GraphQL and an integer in REST. */
      bigIntType: () => ScalarRef<Types, bigint, bigint>;
      /** The scalar `Bytes`, in base64: Prisma's `Bytes`. */
      bytesType: () => ScalarRef<Types, Uint8Array, Uint8Array<ArrayBuffer>>;
      /** The scalar `Date`, a day without a time: Prisma's `DateTime @db.Date`. */
      dateType: () => ScalarRef<Types, Date, Date>;
      /**
       * The scalar `Decimal`, an exact number as text: Prisma's `Decimal`. Inputs need a rule, `decimal(65, 30)` for a column
       * without `@db.Decimal`, as the column would round what has more digits.
       */
      decimalType: () => ScalarRef<Types, DecimalValue, string>;
      /**
       * The scalar `Json`, any value of JSON: Prisma's `Json`. Doubles and integers of 64 bits are exact. A value with a number of
       * more than 15 digits is an object that Prisma alone understands.
       */
      jsonType: () => ScalarRef<Types, unknown, JsonInput>;
      /**
       * The scalar `DateTime`, a moment, exact to the millisecond: Prisma's `DateTime @db.Timestamptz(3)`. A coarser column
       * rounds; `infinity` is the last moment of the year 9999.
       */
      timestampType: () => ScalarRef<Types, Date, Date>;
    }
  }
}

type Builder = PothosSchemaTypes.SchemaBuilder<AnyTypes>;
type Name = 'BigInt' | 'Bytes' | 'Date' | 'DateTime' | 'Decimal' | 'Json';

function scalarType<Given extends Name>(name: Given, scalar: GraphQLScalarType) {
  const add = (builder: Builder) => builder.addScalarType(name, scalar);
  const added = new WeakMap<Builder, ReturnType<typeof add>>();
  return function scalarTypeOf(this: Builder): ReturnType<typeof add> {
    const type = added.get(this) ?? add(this);
    added.set(this, type);
    return type;
  };
}

builderPrototype.bigIntType = scalarType('BigInt', bigIntScalar);
builderPrototype.bytesType = scalarType('Bytes', bytesScalar);
builderPrototype.dateType = scalarType('Date', dateScalar);
builderPrototype.decimalType = scalarType('Decimal', decimalScalar);
builderPrototype.jsonType = scalarType('Json', jsonScalar);
builderPrototype.timestampType = scalarType('DateTime', timestampScalar);
