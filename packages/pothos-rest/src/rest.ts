import type { GraphQLSchema } from 'graphql';
import type { ErrorCode } from '@gateway/errors/coded-error';
import type { JsonObject } from '@gateway/exact-json/json';
import { prepareOperation, type Operation } from './operation.ts';
import { createReader, variablesOf, type Variables } from './variables.ts';

/** A REST operation: a GraphQL operation at an address. */
export interface Route {
  readonly method: 'get' | 'post';
  /** Relative to the base address, with Express's `:parameters`. */
  readonly path: string;
  /** What it does in a few words, and in sentences; these are the field's description by default. */
  readonly summary: string;
  readonly description?: string;
  /**
   * A GraphQL document of one named operation on one field. Its variables are read from the parameters of the same names in
   * path and query, one of an input type from the body; what it selects is what is told.
   */
  readonly document: string;
  readonly status: 200 | 201;
}

/** What a list's document selects of a connection beside `nodes`, for its `Link` to the next page. */
export const PAGE_INFO = 'pageInfo { hasNextPage endCursor }';

export interface RestOptions {
  readonly schema: GraphQLSchema;
  readonly routes: readonly Route[];
  /** Where the routes are: "/v1". */
  readonly basePath: string;
  /** What the contract says of the service (OpenAPI's Info Object). */
  readonly info: JsonObject;
  /** The messages of errors that are not this package's, by a name for each, as examples in the contract. */
  readonly messages: Partial<Record<ErrorCode, Readonly<Record<string, string>>>>;
}

export interface PreparedRoute extends Route {
  readonly operation: Operation;
  readonly variables: Variables;
  readonly read: ReturnType<typeof createReader>;
}

/** Routes that fit their schema: what the router serves, and the contract describes. */
export interface Rest extends RestOptions {
  readonly routes: readonly PreparedRoute[];
  /** Addresses whose answers to GET are the same for all who may read them, and have no other effect. */
  readonly sharedAddresses: ReadonlySet<string>;
}

/** @throws if a route doesn't fit the schema */
export function createRest(options: RestOptions): Rest {
  const routes = options.routes.map((route): PreparedRoute => {
    const operation = prepareOperation(options.schema, route.document);
    const variables = variablesOf(operation, route.path);
    return { ...route, operation, variables, read: createReader(variables) };
  });
  const shared = routes.filter(
    ({ method, variables, operation }) =>
      method === 'get' &&
      variables.path.length === 0 &&
      operation.field.extensions.sameForEveryone === true,
  );
  return {
    ...options,
    routes,
    sharedAddresses: new Set(shared.map(({ path }) => options.basePath + path)),
  };
}
