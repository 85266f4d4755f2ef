import type { ServerResponse } from 'node:http';
import { requestContext } from '@store-gateway/ops';

/** Days in UTC, such as "2030-12-05". */
interface DeprecationDays {
  readonly since: string;
  readonly removal: string;
}

/** Links to the replacement, if the request can use it, and to the REST documentation. */
interface DeprecationLinks {
  readonly successor: string | undefined;
  readonly documentation: string | undefined;
}

/** The headers that announce a deprecation (RFC 9745, RFC 8594, RFC 5829). */
export interface Announcement extends ReturnType<typeof announcement> {}

/** Creates the headers `Deprecation`, `Sunset` and `Link`. Call it only once for each deprecation. */
export function announcement(
  days: DeprecationDays,
  { successor, documentation }: DeprecationLinks,
) {
  const links = [
    successor && `<${successor}>; rel="successor-version"`,
    documentation && `<${documentation}>; rel="deprecation"; type="text/html"`,
  ];
  return {
    ...deprecationHeaders(days),
    Link: links.filter((link) => link !== undefined).join(', ') || undefined,
  };
}

/** Returns the headers that state the days of the deprecation and of the removal. */
export function deprecationHeaders({ since, removal }: DeprecationDays) {
  return {
    Deprecation: `@${Date.parse(since) / 1000}`,
    Sunset: new Date(removal).toUTCString(),
  };
}

/**
 * Announces a deprecation in a response, which may be an error response.
 *
 * @param other an earlier announcement, which this one replaces
 */
export function announceDeprecation(
  response: ServerResponse,
  { Deprecation, Sunset, Link }: Announcement,
  other?: Announcement,
): void {
  const context = requestContext.getStore();
  if (context !== undefined) {
    context.deprecated = true;
  }
  response.setHeader('Deprecation', Deprecation);
  response.setHeader('Sunset', Sunset);
  const given = [response.getHeader('Link') ?? []].flat().map(String);
  const links = [...given.filter((link) => link !== other?.Link), Link ?? []].flat();
  if (links.length > 0) {
    response.setHeader('Link', links);
  } else {
    response.removeHeader('Link');
  }
}
