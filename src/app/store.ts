import type { GraphQLSchema } from 'graphql';
import type { Rest } from '@gateway/pothos-rest/rest';

/** What is served: a schema, and REST routes that are clients of it. */
export interface Store {
  readonly schema: GraphQLSchema;
  readonly rest: Rest;
}
