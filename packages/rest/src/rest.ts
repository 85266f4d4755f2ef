import {
  getNamedType,
  getNullableType,
  isEnumType,
  isListType,
  isRequiredInputField,
  isScalarType,
  isSpecifiedScalarType,
  type GraphQLSchema,
  type GraphQLType,
} from 'graphql';
import type { ErrorCode } from '@store-gateway/ops/errors';
import type { JsonObject } from '@store-gateway/ops';
import { scopesOfDocument } from '@store-gateway/graphql/execution';
import type { Deprecation } from '@store-gateway/graphql';
import { inputMembers } from './members.ts';
import { prepareOperation, type Operation } from './operation.ts';
import { deprecationsOf, type RouteDeprecations } from './route-deprecations.ts';
import { stagesOf, withoutRow, type Stage } from './stages.ts';
import { createReader, variablesOf, type Variables } from './variables.ts';

/** A REST operation: a GraphQL operation at an address. */
export interface Route {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** Relative to the base address, with `:parameters`. */
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

/** Routes that fit their schema: what the endpoints serve, and the contract describes. */
export interface Rest extends RestOptions {
  readonly routes: readonly PreparedRoute[];
}

/** @throws if a route doesn't fit the schema */
export function createRest(options: RestOptions): Rest {
  const { schema } = options;
  const fitting = options.routes.map((route): FittingRoute => {
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
  return { ...options, routes };
}

/** A route before all others are known. */
type FittingRoute = Omit<PreparedRoute, 'addressOf'>;

/**
 * What is created below its parent has the address of the route that gets one of its type by id; if there is none, it has one
 * below the path.
 */
function addressesOf(
  { path: from, operation }: FittingRoute,
  routes: readonly FittingRoute[],
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
function isGetById({ method, path, operation: { resource }, variables }: FittingRoute): boolean {
  const [[name, { name: input }] = ['', { name: '' }], ...others] = variables.path;
  return (
    method === 'get' &&
    !isListType(getNullableType(resource.field.type)) &&
    others.length === 0 &&
    input === 'id' &&
    path.endsWith(`/:${name}`)
  );
}

/** @throws if a route can't be what its method says, or two would be one */
function checkRoutes(routes: readonly FittingRoute[]): void {
  const seen = new Map<string, FittingRoute>();
  for (const route of routes) {
    const fault = faultOf(route);
    if (fault !== undefined) {
      throw new Error(`The REST route ${nameOf(route)} ${fault}`);
    }
    const shape = shapeOf(route.path);
    const other = seen.get(shape) ?? route;
    if (other.path !== route.path) {
      throw new Error(
        `The REST routes ${nameOf(other)} and ${nameOf(route)} must use the same parameter names`,
      );
    }
    const address = `${route.method} ${shape}`;
    if (seen.has(address)) {
      throw new Error(`There are two REST routes ${nameOf(route)}`);
    }
    seen.set(shape, route).set(address, route);
  }
}

function faultOf({
  method,
  status,
  variables: { body },
  operation: { resource },
}: FittingRoute): string | undefined {
  if ((method === 'get' || method === 'delete') && body !== undefined) {
    return `cannot have the variable $${body[0]}: this method has no body`;
  }
  if ((method === 'put' || method === 'patch') && body === undefined) {
    return 'needs a body: a variable of an input type';
  }
  const change = getNamedType(body?.[1].type)?.extensions;
  if (method === 'put' && change?.['changedModel'] !== undefined && change['isWhole'] !== true) {
    return `must replace the whole resource: don't use the input type of a PATCH, or declare it with replaces: true`;
  }
  if (method === 'get' && status !== 200) {
    return `reads, so its status must be 200, not ${status}`;
  }
  if (status !== 204 && isPlain(resource.field.type)) {
    return `would return neither an object nor an array: change the return type of ${resource.field.name}, or set the status to 204`;
  }
  const filledIn =
    method === 'patch'
      ? inputMembers(body?.[1].type).find(
          ({ field }) => isRequiredInputField(field) || field.defaultValue !== undefined,
        )
      : undefined;
  return (
    filledIn && `can't leave ${filledIn.key} unchanged: its input type requires it or has a default`
  );
}

/** Whether its values are texts, numbers or booleans, and never objects as those of a scalar for any JSON may be. */
function isPlain(type: GraphQLType): boolean {
  const plain = getNullableType(type);
  return isEnumType(plain) || (isScalarType(plain) && isSpecifiedScalarType(plain));
}

/** The path whatever its parameters are called. */
function shapeOf(path: string): string {
  return path.replaceAll(/:\w+/g, ':');
}

function nameOf({ method, path }: FittingRoute): string {
  return `${method.toUpperCase()} ${path}`;
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
