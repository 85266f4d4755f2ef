import {
  getNamedType,
  isListType,
  isNonNullType,
  isObjectType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
} from 'graphql';

/** Fields of a listed type that lead to a row of another type, and the lists of that which lead back. */
export function relationsOf(
  schema: GraphQLSchema,
  plural: string,
): { readonly there: string; readonly back: string }[] {
  const type = rowOf(schema.getQueryType()?.getFields()[plural]?.type);
  return Object.entries(type?.getFields() ?? {}).flatMap(([there, field]) => {
    const other = isList(field.type) ? undefined : rowOf(field.type);
    return Object.entries(other?.getFields() ?? {})
      .filter(([, { type: listed }]) => isList(listed) && rowOf(listed) === type)
      .map(([back]) => ({ there, back }));
  });
}

function rowOf(type: GraphQLOutputType | undefined): GraphQLObjectType | undefined {
  const named = getNamedType(type);
  return isObjectType(named) ? named : undefined;
}

function isList(type: GraphQLOutputType): boolean {
  return isListType(isNonNullType(type) ? type.ofType : type);
}
