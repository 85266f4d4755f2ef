import {
  type DocumentNode,
  type FieldNode,
  getNamedType,
  getNullableType,
  getOperationAST,
  type GraphQLSchema,
  type GraphQLType,
  isEnumType,
  isListType,
  isObjectType,
  isRequiredInputField,
  isScalarType,
  isSpecifiedScalarType,
  Kind,
  OperationTypeNode,
  parse,
  type SelectionSetNode,
  separateOperations,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import type { ErrorCode } from '@store-gateway/ops/errors';
import type { JsonObject } from '@store-gateway/ops';
import { possibleUsesOf, scopesOfDocument } from '@store-gateway/graphql/execution';
import {
  type Deprecation,
  firstRemoved,
  named,
  type NamedDeprecation,
  removalTime,
} from '@store-gateway/graphql';
import { createReader, inputMembers, type Variables, variablesOf } from './members.ts';
import { type Operation, operationOf, prepareOperation } from './operation.ts';

/** A REST operation: a GraphQL operation at an address. */
export interface Route {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** The path relative to the base path, with `:parameters`. */
  readonly path: string;
  /** A short summary of what the operation does, for the contract. */
  readonly summary: string;
  /** A description in CommonMark, for the contract. Defaults to the field's. */
  readonly description?: string;
  /**
   * A GraphQL document with one named operation on one field. A variable of an input type is the body, one for a precondition is
   * If-Match, and all others are the parameters with the same names in the path or query. Its selection is the representation. In
   * a query, fields that throw NOT_FOUND may precede that field; if one of them throws it, the response is 404.
   */
  readonly document: string;
  /** The status of a successful response. A 204 has no content, whatever the document selects. */
  readonly status: 200 | 201 | 202 | 204;
  /** Announces the route's removal. From that day on, requests to the route get 410 (GONE). */
  readonly deprecation?: Deprecation;
}

/** The fields that a list's document must select in addition to `nodes`, for the `Link` to the next page. */
export const PAGE_INFO = 'pageInfo { hasNextPage endCursor }';

/** The header with the total number of items in a list, if the list's document selects it. */
export const TOTAL_COUNT = 'X-Total-Count';

/** Routes, the GraphQL schema that they use, and further contents of their contract. */
export interface RestOptions {
  readonly schema: GraphQLSchema;
  readonly routes: readonly Route[];
  /** The base path of the routes, such as "/v1". */
  readonly basePath: string;
  /** The contract's metadata about the service (OpenAPI's Info Object). */
  readonly info: JsonObject;
  /** Named example messages of the errors that the surrounding service throws. By default, it throws none. */
  readonly messages?: Partial<Record<ErrorCode, Readonly<Record<string, string>>>>;
}

/** Returns the path of a created resource, given the path of the request that created it and the resource's id. */
type AddressOf = (path: string, id: string) => string;

/** A route that has been checked against its schema, with its documents parsed and validated. */
export interface PreparedRoute extends Route {
  /**
   * The operation that the contract describes.
   *
   * @internal
   */
  readonly operation: Operation;
  /**
   * The operations that the route executes, in chronological order.
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
   * The operation for callers without the scope `read`, if they need a different one. It changes a row without returning it, so
   * the response is 204.
   *
   * @internal
   */
  readonly unread?: { readonly operation: Operation; readonly scopes: readonly string[] };
  /**
   * Reads the variables of the route's operation from a request's path, query and body.
   *
   * @internal
   */
  readonly read: ReturnType<typeof createReader>;
  /**
   * Returns the path of a created resource.
   *
   * @internal
   */
  readonly addressOf: AddressOf;
}

/** Routes that have been checked against their schema, for the endpoints and the contract. */
export interface Rest extends RestOptions {
  readonly routes: readonly PreparedRoute[];
}

/**
 * Prepares the routes, and checks them against the schema and each other.
 *
 * @throws Error if a route doesn't fit the schema
 */
export function createRest(options: RestOptions): Rest {
  const { schema } = options;
  const fitting = options.routes.map((route): FittingRoute => {
    const operation = prepareOperation(schema, route.document, hasEntityTag(route));
    const variables = variablesOf(operation.inputs, route.path);
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

/** A prepared route without `addressOf`, which depends on all routes. */
type FittingRoute = Omit<PreparedRoute, 'addressOf'>;

/**
 * Returns a function that returns the path of a created resource. The path is that of the route that gets a resource of this type
 * by id, even if the request created the resource below a parent. Without such a route, it is the request's path followed by the
 * id.
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

/** Whether a route gets a resource by an id that ends the path and is its only parameter. */
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

/** @throws Error if a route doesn't suit its method, or if two routes have the same address */
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
    return `cannot have the variable $${body[0]}: requests with this method have no body`;
  }
  if ((method === 'put' || method === 'patch') && body === undefined) {
    return 'needs a body: a variable of an input type';
  }
  const change = getNamedType(body?.[1].type)?.extensions;
  if (method === 'put' && change?.['changedModel'] !== undefined && change['isWhole'] !== true) {
    return `must replace the whole resource: don't use a PATCH's input type, or declare the mutation with replaces: true`;
  }
  if (method === 'get' && status !== 200) {
    return `only reads, so its status must be 200, not ${status}`;
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
    filledIn &&
    `can't leave ${filledIn.key} unchanged: the input type requires it or gives it a default`
  );
}

/** Whether all values of a type are strings, numbers or booleans. Values of other scalars may be objects. */
function isPlain(type: GraphQLType): boolean {
  const plain = getNullableType(type);
  return isEnumType(plain) || (isScalarType(plain) && isSpecifiedScalarType(plain));
}

/** Returns the path with unnamed parameters, for comparisons. */
function shapeOf(path: string): string {
  return path.replaceAll(/:\w+/g, ':');
}

function nameOf({ method, path }: FittingRoute): string {
  return `${method.toUpperCase()} ${path}`;
}

/**
 * Whether success responses have an entity tag. Responses to a PUT don't have one, because the stored resource may differ from
 * the one sent (RFC 9110, 9.3.4).
 */
export function hasEntityTag(route: Pick<Route, 'method' | 'status'>): boolean {
  const { method, status } = route;
  return method === 'get' || (method === 'patch' && status === 200) || isCreation(route);
}

/** Whether a successful request creates a resource. */
export function isCreation({ method, status }: Pick<Route, 'method' | 'status'>): boolean {
  return method === 'post' && status === 201;
}

/** The deprecations that affect a route. */
interface RouteDeprecations {
  /** The route's name where calls to deprecated routes are counted or listed: "GET /v1/items/{id}". */
  readonly address: string;
  /** The deprecation of the route itself. */
  readonly own: NamedDeprecation | undefined;
  /** The deprecation that removes the route: its own, its field's, or that of an input that its document always uses. */
  readonly end: NamedDeprecation | undefined;
  /** The deprecations of the representation's members. */
  readonly members: readonly NamedDeprecation[];
  /** The deprecations of inputs that a request may or may not use. */
  readonly inputs: readonly NamedDeprecation[];
}

interface DeprecatedRoute {
  readonly method: string;
  readonly path: string;
  readonly deprecation?: Deprecation | undefined;
}

/** Collects the deprecations that affect a route with this operation. */
function deprecationsOf(
  { schema, basePath }: { readonly schema: GraphQLSchema; readonly basePath: string },
  { method, path, deprecation }: DeprecatedRoute,
  { document, resource }: Operation,
): RouteDeprecations {
  const { always, possible } = possibleUsesOf({ schema, document });
  const address = `${method.toUpperCase()} ${basePath}${inOpenApi(path)}`;
  const own = deprecation && named(deprecation, address);
  // The deprecation of a page's `nodes` removes the route, because the representation consists of nothing else.
  const ofResource = resource.field.extensions.deprecation?.of;
  const { members = [], ends = [] } = Object.groupBy(always, (use) =>
    MEMBERS.has(use.node.kind) && use.rootKey === undefined && use.mark.of !== ofResource
      ? 'members'
      : 'ends',
  );
  return {
    address,
    own,
    end: firstRemoved([...(own ? [own] : []), ...ends.map((use) => use.mark)]),
    members: members.map((use) => use.mark),
    inputs: possible.flatMap(({ marks }) => marks),
  };
}

/** The kinds of nodes that select members. A fragment on a deprecated type selects a member of that type. */
const MEMBERS = new Set<string>([Kind.FIELD, Kind.INLINE_FRAGMENT, Kind.FRAGMENT_DEFINITION]);

/** Converts a path to OpenAPI's syntax: "/items/:id" to "/items/{id}". */
export function inOpenApi(path: string): string {
  return path.replaceAll(/:(\w+)/g, '{$1}');
}

/** The operation that a route executes until a member is removed from its representation. */
interface Stage {
  /** Milliseconds since 1970. */
  readonly until: number;
  readonly operation: Operation;
}

interface StagedRoute {
  /** The operation until the first removal. */
  readonly operation: Operation;
  /** The text of the operation's document. */
  readonly source: string;
  /** The deprecations of the representation's members. */
  readonly members: readonly NamedDeprecation[];
  readonly hasEntityTag: boolean;
}

/**
 * Returns the stages of a route, the last of which never ends. REST clients can't choose members, so the route omits a deprecated
 * member from the member's removal day on.
 *
 * @throws Error if an object would have no members left
 */
function stagesOf(
  schema: GraphQLSchema,
  { operation, source, members, hasEntityTag: isTagged }: StagedRoute,
): readonly Stage[] {
  const removals = [...new Set(members.map(removalTime))].toSorted((a, b) => a - b);
  const later = removals.map((from, index) => {
    const left = withoutRemoved(schema, { name: operation.name, document: parse(source) }, from);
    return {
      until: removals[index + 1] ?? Infinity,
      operation: operationOf(schema, left, isTagged),
    };
  });
  return [{ until: removals[0] ?? Infinity, operation }, ...later];
}

/** Returns the operation that a route executes at a given time. */
export function operationAt(stages: readonly Stage[], now: number): Operation {
  const stage = stages.find(({ until }) => now < until);
  if (stage === undefined) {
    throw new Error(
      "every stage of this route has ended: the last stage's `until` must be Infinity",
    );
  }
  return stage.operation;
}

function withoutRemoved(
  schema: GraphQLSchema,
  { name, document }: Pick<Operation, 'name' | 'document'>,
  now: number,
): DocumentNode {
  const typeInfo = new TypeInfo(schema);
  const roots = new Set<unknown>([schema.getQueryType(), schema.getMutationType()]);
  const left = visit(
    document,
    visitWithTypeInfo(typeInfo, {
      Field: () => {
        const { deprecation } = typeInfo.getFieldDef()?.extensions ?? {};
        const isRemoved = deprecation !== undefined && removalTime(deprecation) <= now;
        return isRemoved && !roots.has(typeInfo.getParentType()) ? null : undefined;
      },
      SelectionSet: {
        leave: ({ selections }) => {
          if (selections.length === 0) {
            throw new Error(
              `The REST route ${name} would not select any field of ${String(typeInfo.getParentType())} after its deprecated fields are removed`,
            );
          }
        },
      },
    }),
  );
  // Drops fragments that are no longer used.
  return separateOperations(left)[name] ?? left;
}

const ID: SelectionSetNode = {
  kind: Kind.SELECTION_SET,
  selections: [{ kind: Kind.FIELD, name: { kind: Kind.NAME, value: 'id' } }],
};

/**
 * Reduces the selection of a change to the id of its row, so that callers without the scope `read` may make the change. Returns
 * undefined for queries, and for mutations that create a row.
 */
function withoutRow(
  schema: GraphQLSchema,
  { name, document, field }: Operation,
): Operation | undefined {
  const type = getNamedType(field.type);
  if (
    getOperationAST(document)?.operation !== OperationTypeNode.MUTATION ||
    field.extensions.createsRow === true ||
    !isObjectType(type) ||
    type.getFields()['id'] === undefined
  ) {
    return undefined;
  }
  const changed = visit(document, {
    // A route's mutation has one field, which may be within a fragment.
    Field: (node: FieldNode): FieldNode | undefined =>
      node.name.value === field.name ? { ...node, selectionSet: ID } : undefined,
  });
  return operationOf(schema, separateOperations(changed)[name] ?? changed, false);
}
