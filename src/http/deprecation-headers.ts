import type { Response } from 'express';

declare global {
  namespace Express {
    interface Locals {
      /** For the request's log line. */
      deprecated?: true;
    }
  }
}

/** Where a caller of something deprecated is led, as references relative to the request. */
export interface DeprecationLinks {
  /** What serves instead. */
  readonly successor: string;
  /** Where people read about it. */
  readonly documentation: string;
}

/** Days in UTC, such as "2030-12-05". */
export interface Announcement {
  readonly since: string;
  readonly removal: string;
}

/**
 * Tells a caller, whatever else the answer is, that what it calls is deprecated (RFC 9745), when that
 * ends (RFC 8594), and what serves instead (RFC 5829).
 */
export function announceDeprecation(
  response: Response,
  announcement: Announcement,
  { successor, documentation }: DeprecationLinks,
): void {
  response.locals.deprecated = true;
  response.set(deprecationHeaders(announcement));
  response.append(
    'Link',
    `<${successor}>; rel="successor-version", <${documentation}>; rel="deprecation"; type="text/html"`,
  );
}

/** The headers that tell the days: since when it is deprecated, and when it ends. */
export function deprecationHeaders({ since, removal }: Announcement) {
  return {
    Deprecation: `@${Date.parse(since) / 1000}`,
    Sunset: new Date(removal).toUTCString(),
  };
}
