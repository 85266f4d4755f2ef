import { Kind, type GraphQLSchema } from 'graphql';
import { possibleUsesOf } from '@store-gateway/graphql/execution';
import {
  firstRemoved,
  named,
  type Deprecation,
  type NamedDeprecation,
} from '@store-gateway/graphql';
import type { Operation } from './operation.ts';

/** The deprecations that affect a route. */
export interface RouteDeprecations {
  /** The route's name where its own deprecation is counted and listed: "GET /v1/items/{id}". */
  readonly address: string;
  /** The deprecation of the route itself. */
  readonly own: NamedDeprecation | undefined;
  /** The deprecation with which the route ends: its own, its field's, or that of an input that its document always uses. */
  readonly end: NamedDeprecation | undefined;
  /** The deprecations of members of its representation. */
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
export function deprecationsOf(
  { schema, basePath }: { readonly schema: GraphQLSchema; readonly basePath: string },
  { method, path, deprecation }: DeprecatedRoute,
  { document, resource }: Operation,
): RouteDeprecations {
  const { always, possible } = possibleUsesOf({ schema, document });
  const address = `${method.toUpperCase()} ${basePath}${inOpenApi(path)}`;
  const own = deprecation && named(deprecation, address);
  // The deprecation of a page's `nodes` ends the route, because nothing else is represented.
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

/** Nodes that select members. A fragment on a deprecated type selects a member of that type. */
const MEMBERS = new Set<string>([Kind.FIELD, Kind.INLINE_FRAGMENT, Kind.FRAGMENT_DEFINITION]);

/** Converts a path to OpenAPI's syntax: "/items/:id" to "/items/{id}". */
export function inOpenApi(path: string): string {
  return path.replaceAll(/:(\w+)/g, '{$1}');
}
