import { introspectionFromSchema, printSchema, type GraphQLSchema } from 'graphql';

/** A schema in the schema definition language, as in schema.graphql. */
export function printedSchema(schema: GraphQLSchema): string {
  return `${printSchema(schema)}\n`;
}

/** The same as the JSON of the introspection query's result. */
export function introspection(schema: GraphQLSchema): string {
  return JSON.stringify({ data: introspectionFromSchema(schema) });
}
