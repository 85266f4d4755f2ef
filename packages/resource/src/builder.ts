import SchemaBuilder, { type ObjectRef, type SchemaTypes } from '@pothos/core';
import type { Json } from '@store-gateway/ops';
import type { GraphQLFieldResolver } from 'graphql';

/** A Prisma Decimal, or text. The type requires `isNaN` to exclude JavaScript numbers, which would be rounded. */
export type DecimalValue = string | { toFixed(): string; isNaN(): boolean };

/** JSON other than null, in the forms that Prisma accepts: a value, or an object whose `toJSON` serializes the value exactly. */
export type JsonInput = Exclude<Json, null> | { toJSON(): unknown };

/** The types of any builder that these plugins extend. */
export type AnyTypes = PothosSchemaTypes.ExtendDefaultTypes<{
  Scalars: {
    ID: { Input: string; Output: string | bigint | number };
    Date: { Input: Date; Output: Date };
    DateTime: { Input: Date; Output: Date };
    BigInt: { Input: bigint; Output: bigint };
    Bytes: { Input: Uint8Array<ArrayBuffer>; Output: Uint8Array };
    Decimal: { Input: string; Output: DecimalValue };
    Json: { Input: JsonInput; Output: unknown };
  };
  DefaultFieldNullability: false;
}>;

/** A builder that these plugins extend. */
export type Builder = PothosSchemaTypes.SchemaBuilder<AnyTypes>;

/** A field's resolver, which plugins can wrap. */
export type Resolver<Types extends SchemaTypes> = GraphQLFieldResolver<
  unknown,
  Types['Context'],
  object
>;

/** The prototype that builders' methods are added to. */
// oxlint-disable-next-line typescript/no-unsafe-assignment -- Pothos gives its class no typed prototype
export const builderPrototype: Builder = SchemaBuilder.prototype;

/** Returns a type's names, including defaults, and the scopes that it needs. @throws if it lacks the option `resource` */
export function namesIn<Types extends SchemaTypes>(
  builder: PothosSchemaTypes.SchemaBuilder<Types>,
  type: ObjectRef<Types, unknown>,
) {
  const { name, pothosOptions } = builder.configStore.getTypeConfig(type, 'Object');
  if (pothosOptions.resource === undefined) {
    throw new Error(`${name} needs the option resource: { plural: … }`);
  }
  const { plural, noun = name.toLowerCase(), nouns = plural } = pothosOptions.resource;
  return { name, plural, noun, nouns, scopes: pothosOptions.scopes ?? [] };
}
