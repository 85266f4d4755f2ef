import { introspectionFromSchema, printSchema, type GraphQLSchema } from 'graphql';
import { withScopes } from './printed-scopes.ts';

/** A schema in the schema definition language with the scopes that it needs, as in schema.graphql. */
export function printedSchema(schema: GraphQLSchema): string {
  return `${withScopes(printSchema(schema), schema)}\n`;
}

/** The same as the JSON of the introspection query's result. */
export function introspection(schema: GraphQLSchema): string {
  return JSON.stringify({ data: introspectionFromSchema(schema) });
}
