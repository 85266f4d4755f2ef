import type { GraphQLScalarType } from 'graphql';
import type { AnyTypes } from './builder-prototype.ts';

type Builder = PothosSchemaTypes.SchemaBuilder<AnyTypes>;
type Name = 'BigInt' | 'Bytes' | 'Date' | 'DateTime' | 'Decimal' | 'Json';

/** The method of builders that adds a scalar to the schema at the first call, and returns it. */
export function suppliedType<Given extends Name>(name: Given, scalar: GraphQLScalarType) {
  const add = (builder: Builder) => builder.addScalarType(name, scalar);
  const added = new WeakMap<Builder, ReturnType<typeof add>>();
  return function suppliedTypeOf(this: Builder): ReturnType<typeof add> {
    const type = added.get(this) ?? add(this);
    added.set(this, type);
    return type;
  };
}
