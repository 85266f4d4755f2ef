import type { Request } from 'express';
import { isJsonObject } from '../json.ts';
import type { Route } from './routes.ts';

/** What a list's document asks of a connection. */
export interface Page {
  readonly nodes: readonly unknown[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}

export function isPage(resource: unknown): resource is Page {
  return (
    isJsonObject(resource) && Array.isArray(resource['nodes']) && isJsonObject(resource['pageInfo'])
  );
}

/**
 * The Link header of a page (RFC 8288): where the list begins and, while there is more, where it goes on.
 * Filter and limit stay as the client sent them.
 */
export function pageLinks(
  { queryParameters = {} }: Route,
  { pageInfo }: Page,
  request: Request,
): string {
  const kept = new URLSearchParams(
    Object.entries(request.query).flatMap(([name, value]) =>
      name in queryParameters && name !== 'after' && typeof value === 'string'
        ? [[name, value]]
        : [],
    ),
  );
  const path = request.baseUrl + request.path;
  const links = [`<${reference(path, kept)}>; rel="first"`];
  if (pageInfo.hasNextPage && pageInfo.endCursor !== null) {
    kept.set('after', pageInfo.endCursor);
    links.push(`<${reference(path, kept)}>; rel="next"`);
  }
  return links.join(', ');
}

function reference(path: string, parameters: URLSearchParams): string {
  return parameters.size === 0 ? path : `${path}?${parameters.toString()}`;
}
