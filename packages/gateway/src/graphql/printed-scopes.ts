import {
  Kind,
  parse,
  type DefinitionNode,
  type GraphQLSchema,
  type Location,
  type NameNode,
} from 'graphql';
import { scopesOfRoot } from '@store-gateway/graphql/execution';
import { scopedMembersOf } from '@store-gateway/graphql';

const DEFINITION = `"""
The scopes that a caller needs: of Query and Mutation, for each of their fields; of another type, for each field that returns it; of anything else, to use it.
"""
directive @requiresScopes(
  """Their names."""
  scopes: [String!]!
) on OBJECT | INTERFACE | UNION | FIELD_DEFINITION | ARGUMENT_DEFINITION | INPUT_FIELD_DEFINITION | ENUM_VALUE

`;

/** Where a definition can have a directive, by its schema coordinate. */
type Place = readonly [coordinate: string, location: Location | undefined];

interface Named {
  readonly name: NameNode;
  readonly loc?: Location;
}

/** A printed schema with the scopes that it needs, as graphql-js prints no directives of ours. */
export function withScopes(printed: string, schema: GraphQLSchema): string {
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
  // From the end, so that what is in front stays where it is.
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
  switch (definition.kind) {
    case Kind.OBJECT_TYPE_DEFINITION:
    case Kind.INTERFACE_TYPE_DEFINITION: {
      const { name, interfaces = [], fields = [] } = definition;
      yield [name.value, (interfaces.at(-1) ?? name).loc];
      for (const field of fields) {
        const coordinate = `${name.value}.${field.name.value}`;
        for (const argument of field.arguments ?? []) {
          yield [`${coordinate}(${argument.name.value}:)`, argument.loc];
        }
        yield [coordinate, field.loc];
      }
      break;
    }
    case Kind.INPUT_OBJECT_TYPE_DEFINITION:
      yield* membersOf(definition, definition.fields);
      break;
    case Kind.ENUM_TYPE_DEFINITION:
      yield* membersOf(definition, definition.values);
      break;
    case Kind.UNION_TYPE_DEFINITION:
      yield [definition.name.value, definition.name.loc];
      break;
    default:
  }
}

function* membersOf({ name }: Named, members: readonly Named[] = []): Iterable<Place> {
  for (const member of members) {
    yield [`${name.value}.${member.name.value}`, member.loc];
  }
}
