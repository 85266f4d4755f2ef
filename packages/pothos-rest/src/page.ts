import { isJsonObject } from '@gateway/exact-json/json';

/** What a list's document asks of a connection. */
export interface Page {
  readonly nodes: readonly unknown[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | bigint | null };
}

export function isPage(resource: unknown): resource is Page {
  return (
    isJsonObject(resource) && Array.isArray(resource['nodes']) && isJsonObject(resource['pageInfo'])
  );
}

/**
 * The Link header of a page (RFC 8288): where the list begins and, while there is more, where it goes on.
 * Filters and limit stay as the client sent them.
 *
 * @param parameters that the list reads
 */
export function pageLinks(
  parameters: readonly (readonly [name: string, ...unknown[]])[],
  { pageInfo }: Page,
  { path, query }: { readonly path: string; readonly query: Readonly<Record<string, unknown>> },
): string {
  let kept = '';
  for (const [name, value] of Object.entries(query)) {
    if (
      parameters.some(([parameter]) => parameter === name) &&
      name !== 'after' &&
      typeof value === 'string'
    ) {
      kept += `${kept && '&'}${name}=${encodeURIComponent(value)}`;
    }
  }
  const first = `<${path}${kept && '?'}${kept}>; rel="first"`;
  return pageInfo.hasNextPage && pageInfo.endCursor !== null
    ? `${first}, <${path}?${kept}${kept && '&'}after=${String(pageInfo.endCursor)}>; rel="next"`
    : first;
}
