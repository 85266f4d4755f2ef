import { isObjectType, type GraphQLSchema } from 'graphql';

/** A field that is to be removed, and when: milliseconds since 1970. */
export interface Removal {
  readonly field: string;
  readonly at: number;
}

export function removalsIn(schema: GraphQLSchema): Removal[] {
  return Object.values(schema.getTypeMap())
    .filter(isObjectType)
    .flatMap((type) => Object.values(type.getFields()))
    .flatMap(({ name, extensions: { deprecation } }) =>
      deprecation === undefined ? [] : [{ field: name, at: Date.parse(deprecation.removal) }],
    );
}
