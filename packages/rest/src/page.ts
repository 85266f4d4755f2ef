import { isJsonObject, WrittenJson } from '@store-gateway/ops';
import type { Variable } from './variables.ts';

/** The members of a connection that a list's document selects. */
interface Page {
  readonly nodes: readonly unknown[] | WrittenJson;
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | bigint | null };
  readonly totalCount?: number;
}

/** The header with the total number of items in a list, if its document selects that. */
export const TOTAL_COUNT = 'X-Total-Count';

interface ListRequest {
  readonly path: string;
  readonly query: Readonly<Record<string, unknown>>;
  /** The service's public URL, for absolute references. */
  readonly publicUrl: string | undefined;
}

export function isPage(resource: unknown): resource is Page {
  if (!isJsonObject(resource)) {
    return false;
  }
  const { nodes, pageInfo } = resource;
  return (Array.isArray(nodes) || nodes instanceof WrittenJson) && isJsonObject(pageInfo);
}

/**
 * Returns the Link header of a page (RFC 8288): the first page, and the next page if there is one. Filters and limit are
 * repeated as the client sent them.
 *
 * @param parameters the query parameters of the list
 */
export function pageLinks(
  parameters: readonly Variable[],
  { pageInfo }: Page,
  { path, query, publicUrl }: ListRequest,
): string {
  let kept = '';
  for (const name of Object.keys(query)) {
    if (name !== 'after' && parameters.some(([parameter]) => parameter === name)) {
      for (const value of [query[name]].flat()) {
        if (typeof value === 'string') {
          kept += `${kept && '&'}${name}=${encodeURIComponent(value)}`;
        }
      }
    }
  }
  // A reference that is only a query keeps the request's path (RFC 3986, 5.2.2). An empty reference would keep its query, too.
  const list = publicUrl === undefined ? '' : publicUrl + path;
  const whole = list || path.slice(path.lastIndexOf('/') + 1);
  const first = `<${kept ? `${list}?${kept}` : whole}>; rel="first"`;
  return pageInfo.hasNextPage && pageInfo.endCursor !== null
    ? `${first}, <${list}?${kept}${kept && '&'}after=${encodeURIComponent(String(pageInfo.endCursor))}>; rel="next"`
    : first;
}
