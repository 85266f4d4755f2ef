import type { Response } from 'express';
import { requestUnderWay } from '@gateway/log/log';

/** Days in UTC, such as "2030-12-05". */
export interface DeprecationDays {
  readonly since: string;
  readonly removal: string;
}

/** The headers that announce a deprecation. */
export interface Announcement {
  readonly Deprecation: string;
  readonly Sunset: string;
  readonly Link: string;
}

/**
 * Tells the end of something (RFC 9745, RFC 8594), what serves instead (RFC 5829), and where people read about it.
 *
 * @param links references relative to the request
 */
export function announcement(
  days: DeprecationDays,
  { successor, documentation }: { readonly successor: string; readonly documentation: string },
): Announcement {
  return {
    ...deprecationHeaders(days),
    Link: `<${successor}>; rel="successor-version", <${documentation}>; rel="deprecation"; type="text/html"`,
  };
}

/** The headers that tell since when it is deprecated, and when it ends. */
export function deprecationHeaders({ since, removal }: DeprecationDays) {
  return {
    Deprecation: `@${Date.parse(since) / 1000}`,
    Sunset: new Date(removal).toUTCString(),
  };
}

/** Tells a caller, whatever else the response is, that what it calls is deprecated. */
export function announceDeprecation(response: Response, { Link, ...days }: Announcement): void {
  const context = requestUnderWay.getStore();
  if (context !== undefined) {
    context.deprecated = true;
  }
  response.set(days).append('Link', Link);
}
