import type { SchemaTypes } from '@pothos/core';
import { GraphQLError, GraphQLScalarType } from 'graphql';
import { builderPrototype } from './builder-prototype.ts';
import { suppliedType } from './supplied-type.ts';

declare global {
  export namespace PothosSchemaTypes {
    interface SchemaBuilder<Types extends SchemaTypes> {
      /** The scalar `Bytes`, in base64: Prisma's `Bytes`. The first call adds it to the schema. */
      bytesType: () => ScalarRef<Types, Uint8Array, Uint8Array<ArrayBuffer>>;
    }
  }
}

const EXPECTED = 'bytes in base64 with padding (RFC 4648, 4), such as "AAEC"';

const bytesScalar = new GraphQLScalarType<Uint8Array<ArrayBuffer>, string>({
  name: 'Bytes',
  description: 'Bytes in base64 with padding (RFC 4648, 4), as `"AAEC"`.',
  extensions: {
    jsonSchema: {
      type: 'string',
      contentEncoding: 'base64',
      pattern: '^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$',
    },
    example: 'AAEC',
    expected: EXPECTED,
  },
  serialize: (value) => {
    if (!(value instanceof Uint8Array)) {
      throw new TypeError('Bytes is of a Uint8Array');
    }
    return Buffer.from(value).toString('base64');
  },
  parseValue: (value) => {
    // Input rules check parsed values, too.
    if (value instanceof Uint8Array) {
      return new Uint8Array(value);
    }
    const bytes = Buffer.from(typeof value === 'string' ? value : '=', 'base64');
    // Node skips what is no base64.
    if (bytes.toString('base64') !== value) {
      throw new GraphQLError(`expected ${EXPECTED}`);
    }
    return new Uint8Array(bytes);
  },
});

builderPrototype.bytesType = suppliedType('Bytes', bytesScalar);
