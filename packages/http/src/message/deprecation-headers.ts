import type { ServerResponse } from 'node:http';
import { requestContext } from '@store-gateway/ops';

/** Days in UTC, such as "2030-12-05". */
interface DeprecationDays {
  readonly since: string;
  readonly removal: string;
}

/** Where a caller is led, as references relative to the request: to what serves instead, if a request does, and to what people read. */
interface DeprecationLinks {
  readonly successor: string | undefined;
  readonly documentation: string | undefined;
}

/** The headers that announce a deprecation (RFC 9745, RFC 8594, RFC 5829). */
export interface Announcement extends ReturnType<typeof announcement> {}

/** The headers `Deprecation`, `Sunset` and `Link`, made once for each deprecation. */
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

/** The headers that say since when something is deprecated, and when it ends. */
export function deprecationHeaders({ since, removal }: DeprecationDays) {
  return {
    Deprecation: `@${Date.parse(since) / 1000}`,
    Sunset: new Date(removal).toUTCString(),
  };
}

/**
 * Tells a caller, whatever else the response is, that what it calls is deprecated.
 *
 * @param other announced before, whose place it takes
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
