import { Kind, type GraphQLSchema } from 'graphql';
import { possibleUsesOf } from '@store-gateway/graphql/execution';
import {
  firstRemoved,
  named,
  type Deprecation,
  type NamedDeprecation,
} from '@store-gateway/graphql';
import type { Operation } from './operation.ts';

/** What is deprecated of a route. */
export interface RouteDeprecations {
  /** As the route's own is counted and listed: "GET /v1/items/{id}". */
  readonly address: string;
  /** The route's own. */
  readonly own: NamedDeprecation | undefined;
  /** With it the route ends: its own, that of its field, or of what its document always gives. */
  readonly end: NamedDeprecation | undefined;
  /** Of members of its representation. */
  readonly members: readonly NamedDeprecation[];
  /** Of what a request may give, or not. */
  readonly inputs: readonly NamedDeprecation[];
}

interface DeprecatedRoute {
  readonly method: string;
  readonly path: string;
  readonly deprecation?: Deprecation | undefined;
}

/** The deprecations of a route of this operation. */
export function deprecationsOf(
  { schema, basePath }: { readonly schema: GraphQLSchema; readonly basePath: string },
  { method, path, deprecation }: DeprecatedRoute,
  { document, resource }: Operation,
): RouteDeprecations {
  const { always, possible } = possibleUsesOf({ schema, document });
  const address = `${method.toUpperCase()} ${basePath}${inOpenApi(path)}`;
  const own = deprecation && named(deprecation, address);
  // That of the nodes of a page: without them nothing is represented.
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

/** Nodes that show something; a fragment on a deprecated type shows a member of that type. */
const MEMBERS = new Set<string>([Kind.FIELD, Kind.INLINE_FRAGMENT, Kind.FRAGMENT_DEFINITION]);

/** "/items/{id}" of "/items/:id". */
export function inOpenApi(path: string): string {
  return path.replaceAll(/:(\w+)/g, '{$1}');
}
