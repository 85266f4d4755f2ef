import type { Response } from 'express';
import { requestContext } from '@gateway/log/log';

/** Where a caller of something deprecated is led, as references relative to the request. */
export interface DeprecationLinks {
  /** What serves instead. */
  readonly successor: string;
  /** Where people read about it. */
  readonly documentation: string;
}

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

/** Tells the end of something (RFC 9745, RFC 8594), and what serves instead (RFC 5829). */
export function announcement(
  days: DeprecationDays,
  { successor, documentation }: DeprecationLinks,
): Announcement {
  return {
    ...deprecationHeaders(days),
    Link: `<${successor}>; rel="successor-version", <${documentation}>; rel="deprecation"; type="text/html"`,
  };
}

/** The headers that tell the days: since when it is deprecated, and when it ends. */
export function deprecationHeaders({ since, removal }: DeprecationDays) {
  return {
    Deprecation: `@${Date.parse(since) / 1000}`,
    Sunset: new Date(removal).toUTCString(),
  };
}

/** Tells a caller, whatever else the answer is, that what it calls is deprecated. */
export function announceDeprecation(
  response: Response,
  { Deprecation, Sunset, Link }: Announcement,
): void {
  const underWay = requestContext.getStore();
  if (underWay !== undefined) {
    underWay.deprecated = true;
  }
  response.set({ Deprecation, Sunset }).append('Link', Link);
}
