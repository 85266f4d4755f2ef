import { getNullableType, isListType, type GraphQLSchema } from 'graphql';
import type { ErrorCode } from '@store-gateway/ops/errors';
import type { JsonObject } from '@store-gateway/ops';
import { shareable, scopesOfDocument } from '@store-gateway/graphql/execution';
import type { Deprecation } from '@store-gateway/graphql';
import { prepareOperation, type Operation } from './operation.ts';
import { checkRoutes } from './route-faults.ts';
import { deprecationsOf, type RouteDeprecations } from './route-deprecations.ts';
import { stagesOf, withoutRow, type Stage } from './stages.ts';
import { createReader, variablesOf, type Variables } from './variables.ts';

/** A REST operation: a GraphQL operation at an address. */
export interface Route {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** Relative to the base address, with Express's `:parameters`. */
  readonly path: string;
  /** What it does, in a few words, for the contract. */
  readonly summary: string;
  /** In CommonMark, for the contract; by default that of the field. */
  readonly description?: string;
  /**
   * A GraphQL document of one named operation on one field. Its variables are parameters of the same names in path and
   * query, one of an input type is the body, and one for a precondition is If-Match; what it selects is the representation.
   * Before that field, a query may have others that throw NOT_FOUND: the response is then 404.
   */
  readonly document: string;
  /** Of success. 204 sends nothing of what the document selects. */
  readonly status: 200 | 201 | 202 | 204;
  /** Announces the route's removal. From that day on each of its requests is GONE. */
  readonly deprecation?: Deprecation;
}

/** What a list's document selects beside `nodes`, for its `Link` to the next page. */
export const PAGE_INFO = 'pageInfo { hasNextPage endCursor }';

/** Routes, the GraphQL schema that they are clients of, and what their contract says beside them. */
export interface RestOptions {
  readonly schema: GraphQLSchema;
  readonly routes: readonly Route[];
  /** Where the routes are: "/v1". */
  readonly basePath: string;
  /** What the contract says of the service (OpenAPI's Info Object). */
  readonly info: JsonObject;
  /** Examples, by name, of the messages of errors that the service around throws; without any, it throws none. */
  readonly messages?: Partial<Record<ErrorCode, Readonly<Record<string, string>>>>;
}

/** The path of what a request to a path has created, by its id. */
type AddressOf = (path: string, id: string) => string;

/** A route that fits its schema, with its documents parsed and validated. */
export interface PreparedRoute extends Route {
  /**
   * What the contract describes.
   *
   * @internal
   */
  readonly operation: Operation;
  /**
   * What is executed.
   *
   * @internal
   */
  readonly stages: readonly Stage[];
  /** @internal */
  readonly deprecations: RouteDeprecations;
  /** @internal */
  readonly variables: Variables;
  /** The scopes that a caller needs to get a representation. */
  readonly scopes: readonly string[];
  /**
   * The operation for callers without the scope `read`, if they need another one. It changes a row without returning it, so the
   * response is 204.
   *
   * @internal
   */
  readonly unread?: { readonly operation: Operation; readonly scopes: readonly string[] };
  /**
   * Reads the variables of its operation from a request's path, query and body.
   *
   * @internal
   */
  readonly read: ReturnType<typeof createReader>;
  /**
   * Of what a request to a path has created.
   *
   * @internal
   */
  readonly addressOf: AddressOf;
}

/** Routes that fit their schema: what the router serves, and the contract describes. */
export interface Rest extends RestOptions {
  readonly routes: readonly PreparedRoute[];
  /** Addresses where identical requests of one client may share a response. */
  readonly sharedAddresses: ReadonlySet<string>;
}

/** @throws if a route doesn't fit the schema */
export function createRest(options: RestOptions): Rest {
  const { schema } = options;
  const fitting = options.routes.map((route) => {
    const operation = prepareOperation(schema, route.document, hasEntityTag(route));
    const variables = variablesOf(operation, route.path);
    const deprecations = deprecationsOf(options, route, operation);
    const stages = stagesOf(schema, {
      operation,
      source: route.document,
      members: deprecations.members,
      hasEntityTag: hasEntityTag(route),
    });
    const scopesOf = ({ document }: Operation) => scopesOfDocument({ schema, document });
    const scopes = new Set(stages.flatMap((stage) => [...scopesOf(stage.operation)]));
    const unread = scopes.has('read') ? withoutRow(schema, operation) : undefined;
    return {
      ...route,
      operation,
      stages,
      deprecations,
      variables,
      scopes: [...scopes],
      ...(unread && { unread: { operation: unread, scopes: [...scopesOf(unread)] } }),
      read: createReader(variables),
    };
  });
  checkRoutes(fitting);
  const routes = fitting.map((route): PreparedRoute =>
    Object.assign(route, { addressOf: addressesOf(route, fitting, options.basePath) }),
  );
  const shared = routes.filter(
    ({ method, variables, operation, deprecations: { end, members, inputs } }) =>
      method === 'get' &&
      variables.path.length === 0 &&
      // Its calls are counted where they are executed.
      end === undefined &&
      members.length + inputs.length === 0 &&
      shareable({ schema: options.schema, document: operation.document }) !== undefined,
  );
  return {
    ...options,
    routes,
    sharedAddresses: new Set(shared.map(({ path }) => options.basePath + path)),
  };
}

type AddressedRoute = Pick<PreparedRoute, 'method' | 'path' | 'operation' | 'variables'>;

/**
 * What is created below its parent has the address of the route that gets one of its type by id; if there is none, it has one
 * below the path.
 */
function addressesOf(
  { path: from, operation }: AddressedRoute,
  routes: readonly AddressedRoute[],
  basePath: string,
): AddressOf {
  const gets = routes.filter(
    (route) => route.operation.type === operation.type && isGetById(route),
  );
  const get = gets.find(({ path }) => path.startsWith(`${from}/`)) ?? gets[0];
  const folder = get?.path.slice(0, get.path.lastIndexOf('/'));
  return (path, id) =>
    `${folder === undefined || folder === from ? path : basePath + folder}/${encodeURIComponent(id)}`;
}

/** Whether its path ends with the id of what it gets, its only parameter. */
function isGetById({ method, path, operation: { resource }, variables }: AddressedRoute): boolean {
  const [[name, { name: input }] = ['', { name: '' }], ...others] = variables.path;
  return (
    method === 'get' &&
    !isListType(getNullableType(resource.field.type)) &&
    others.length === 0 &&
    input === 'id' &&
    path.endsWith(`/:${name}`)
  );
}

/** Whether a success has one: what a PUT stores may differ from what was sent (RFC 9110, 9.3.4). */
export function hasEntityTag(route: Pick<Route, 'method' | 'status'>): boolean {
  const { method, status } = route;
  return method === 'get' || (method === 'patch' && status === 200) || isCreation(route);
}

/** Whether a success adds something below the route's address. */
export function isCreation({ method, status }: Pick<Route, 'method' | 'status'>): boolean {
  return method === 'post' && status === 201;
}
