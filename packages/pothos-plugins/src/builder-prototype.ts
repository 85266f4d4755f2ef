import SchemaBuilder from '@pothos/core';

/** The types of any builder that these plugins extend. */
export type AnyTypes = PothosSchemaTypes.ExtendDefaultTypes<{
  Scalars: {
    ID: { Input: string; Output: string | bigint | number };
    Date: { Input: Date; Output: Date };
    DateTime: { Input: Date; Output: Date };
  };
  DefaultFieldNullability: false;
}>;

/** Where builders' methods are added. */
// oxlint-disable-next-line typescript/no-unsafe-assignment -- Pothos gives its class no typed prototype
export const builderPrototype: PothosSchemaTypes.SchemaBuilder<AnyTypes> = SchemaBuilder.prototype;
