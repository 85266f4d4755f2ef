import { printSchema, type GraphQLSchema } from 'graphql';

/** A schema in the schema definition language, as in schema.graphql. */
export function printedSchema(schema: GraphQLSchema): string {
  return `${printSchema(schema)}\n`;
}
