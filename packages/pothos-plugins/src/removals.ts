import { isObjectType, type GraphQLSchema } from 'graphql';
import type { Removal } from '@gateway/telemetry/recorder';

/** Which fields are to be removed, and when. */
export function removalsIn(schema: GraphQLSchema): Removal[] {
  return Object.values(schema.getTypeMap())
    .filter(isObjectType)
    .flatMap((type) => Object.values(type.getFields()))
    .flatMap(({ name, extensions: { deprecation } }) =>
      deprecation === undefined ? [] : [{ field: name, at: Date.parse(deprecation.removal) }],
    );
}
