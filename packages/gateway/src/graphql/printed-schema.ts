import { introspectionFromSchema, printSchema, type GraphQLSchema } from 'graphql';
import { scopesInWords } from '@store-gateway/ops/errors';
import { scopesOfRoot } from '@store-gateway/graphql/execution';
import { withScopes } from './printed-scopes.ts';

/** A schema in the schema definition language with the scopes that it needs, as in schema.graphql. */
export function printedSchema(schema: GraphQLSchema): string {
  return `${withScopes(rootsOf(schema) + printSchema(schema), schema)}\n`;
}

/**
 * The definition of a schema whose root types have the usual names, which graphql-js leaves out even where another type has
 * such a name (GraphQL, 3.3.1); otherwise nothing.
 */
function rootsOf(schema: GraphQLSchema): string {
  const roots = [
    ['query', 'Query', schema.getQueryType()],
    ['mutation', 'Mutation', schema.getMutationType()],
    ['subscription', 'Subscription', schema.getSubscriptionType()],
  ] as const;
  const isUsual = roots.every(([, usual, root]) => !root || root.name === usual);
  const isMistaken = roots.some(([, usual, root]) => !root && schema.getType(usual));
  const members = roots.flatMap(([operation, , root]) =>
    root ? [`  ${operation}: ${root.name}\n`] : [],
  );
  return isUsual && isMistaken && schema.description == null
    ? `schema {\n${members.join('')}}\n\n`
    : '';
}

/** The same as the JSON of the introspection query's result, which has no directives: GraphiQL's documentation shows it. */
export function introspection(schema: GraphQLSchema): string {
  const { __schema: all } = introspectionFromSchema(schema);
  const roots = [schema.getQueryType(), schema.getMutationType()];
  const types = all.types.map((type) => {
    const root = roots.find((each) => each?.name === type.name);
    if (!root) {
      return type;
    }
    const needed = `Each needs the ${scopesInWords(scopesOfRoot(root, schema))}.`;
    return { ...type, description: `${type.description ?? ''}\n\n${needed}`.trim() };
  });
  return JSON.stringify({ data: { __schema: { ...all, types } } });
}
