import SchemaBuilder from '@pothos/core';

/** The builder of any schema that has ids as texts or bigints. */
export type AnyTypes = PothosSchemaTypes.ExtendDefaultTypes<{
  Scalars: {
    ID: { Input: string; Output: string | bigint };
    Date: { Input: Date; Output: Date };
  };
  DefaultFieldNullability: false;
}>;

/** What gives every builder its methods. */
// oxlint-disable-next-line typescript/no-unsafe-assignment -- Pothos gives its class no typed prototype
export const builderPrototype: PothosSchemaTypes.SchemaBuilder<AnyTypes> = SchemaBuilder.prototype;
