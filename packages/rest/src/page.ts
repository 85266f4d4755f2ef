import { isJsonObject, WrittenJson } from '@store-gateway/ops';
import type { Variable } from './variables.ts';

/** What a list's document selects of a connection. */
interface Page {
  readonly nodes: readonly unknown[] | WrittenJson;
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | bigint | null };
  readonly totalCount?: number;
}

/** The number of items that a list has in all, if its document selects that. */
export const TOTAL_COUNT = 'X-Total-Count';

interface ListRequest {
  readonly path: string;
  readonly query: Readonly<Record<string, unknown>>;
  /** Where clients reach the service, for absolute references. */
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
 * The Link header of a page (RFC 8288): the first page, and the next one while there is more. Filters and limit stay as the
 * client sent them.
 *
 * @param parameters of the list
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
  // A query alone refers to the request's own path (RFC 3986, 5.2.2); nothing at all would refer to its query, too.
  const list = publicUrl === undefined ? '' : publicUrl + path;
  const whole = list || path.slice(path.lastIndexOf('/') + 1);
  const first = `<${kept ? `${list}?${kept}` : whole}>; rel="first"`;
  return pageInfo.hasNextPage && pageInfo.endCursor !== null
    ? `${first}, <${list}?${kept}${kept && '&'}after=${encodeURIComponent(String(pageInfo.endCursor))}>; rel="next"`
    : first;
}
