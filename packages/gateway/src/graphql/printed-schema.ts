import {
  isTypeDefinitionNode,
  Kind,
  parse,
  type DefinitionNode,
  type GraphQLSchema,
  type Location,
  introspectionFromSchema,
  printSchema,
} from 'graphql';
import { scopesOfRoot } from '@store-gateway/graphql/execution';
import { scopedMembersOf } from '@store-gateway/graphql';
import { formatScopes } from '@store-gateway/ops/errors';

const DEFINITION = `"""
The scopes that a caller needs: on Query and Mutation, for each of their fields; on another type, for each field that returns it; elsewhere, to use the element.
"""
directive @requiresScopes(
  """The names of the scopes."""
  scopes: [String!]!
) on OBJECT | INTERFACE | UNION | FIELD_DEFINITION | ARGUMENT_DEFINITION | INPUT_FIELD_DEFINITION | ENUM_VALUE

`;

/** The position in the text at which a directive of a definition is inserted, by the definition's schema coordinate. */
type Place = readonly [coordinate: string, location: Location | undefined];

/** Adds directives with the required scopes to a printed schema, because graphql-js prints only its own directives. */
function withScopes(printed: string, schema: GraphQLSchema): string {
  const scopes = new Map(
    scopedMembersOf(schema).map(({ coordinate, member }) => [coordinate, member.extensions.scopes]),
  );
  for (const root of [schema.getQueryType(), schema.getMutationType()]) {
    if (root) {
      scopes.set(root.name, scopesOfRoot(root, schema));
    }
  }
  const places = parse(printed).definitions.flatMap((each) => Array.from(placesIn(each)));
  let text = printed;
  // Directives are inserted from the end, so that earlier positions remain valid.
  for (const [coordinate, location] of places.toReversed()) {
    const needed = scopes.get(coordinate);
    if (needed !== undefined && location !== undefined) {
      const directive = ` @requiresScopes(scopes: ${JSON.stringify(needed)})`;
      text = text.slice(0, location.end) + directive + text.slice(location.end);
    }
  }
  return DEFINITION + text;
}

function* placesIn(definition: DefinitionNode): Iterable<Place> {
  if (!isTypeDefinitionNode(definition) || definition.kind === Kind.SCALAR_TYPE_DEFINITION) {
    return;
  }
  const { name } = definition;
  const interfaces = 'interfaces' in definition ? (definition.interfaces ?? []) : [];
  yield [name.value, (interfaces.at(-1) ?? name).loc];
  const fields = 'fields' in definition ? (definition.fields ?? []) : [];
  const values = 'values' in definition ? (definition.values ?? []) : [];
  for (const member of [...fields, ...values]) {
    const coordinate = `${name.value}.${member.name.value}`;
    for (const argument of 'arguments' in member ? (member.arguments ?? []) : []) {
      yield [`${coordinate}(${argument.name.value}:)`, argument.loc];
    }
    yield [coordinate, member.loc];
  }
}

/** Prints a schema in the schema definition language with the required scopes, as in schema.graphql. */
export function printedSchema(schema: GraphQLSchema): string {
  return `${withScopes(rootsOf(schema) + printSchema(schema), schema)}\n`;
}

/**
 * Prints the `schema` definition if graphql-js omits it although it is needed: for root types with the usual names, when a type
 * that isn't a root type has a root type's default name (GraphQL, 3.3.1).
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

/**
 * Returns the introspection query's result as JSON, for GraphiQL. It contains no directives, so the root types' descriptions name
 * the scopes.
 */
export function introspection(schema: GraphQLSchema): string {
  const { __schema: all } = introspectionFromSchema(schema);
  const roots = [schema.getQueryType(), schema.getMutationType()];
  const types = all.types.map((type) => {
    const root = roots.find((each) => each?.name === type.name);
    if (!root) {
      return type;
    }
    const needed = `Each needs the ${formatScopes(scopesOfRoot(root, schema))}.`;
    return { ...type, description: `${type.description ?? ''}\n\n${needed}`.trim() };
  });
  return JSON.stringify({ data: { __schema: { ...all, types } } });
}
