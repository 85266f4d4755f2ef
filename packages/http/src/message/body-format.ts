import type { ServerResponse } from 'node:http';

/** What a route takes as a body: always JSON. */
export interface BodyFormat {
  readonly mediaTypes: readonly [string, ...string[]];
  /** The media type as nearly all clients write it: to parse the header takes ten times as long as all else. */
  readonly usualType: RegExp;
  /** Begins the message for bodies of other types or encodings. */
  readonly unsupported: string;
  /** Whether a request without a body is rejected; otherwise that is an object without members. */
  readonly isRequired: boolean;
  /** The header that tells the media types (RFC 5789, 3.1). */
  readonly announcedBy?: 'Accept-Patch';
}

/** The message for a request without the body that it needs. */
export const MISSING_BODY = 'The body is missing';

/** JSON in UTF-8, which may be compressed or left out. */
export const JSON_BODY: BodyFormat = {
  mediaTypes: ['application/json'],
  usualType: /^application\/json(?:; ?charset=utf-8)?$/i,
  unsupported:
    'The body must be application/json in UTF-8, plain or compressed with gzip, deflate, br or zstd',
  isRequired: false,
};

/** In the place of what there is: no body at all must not clear what its members may leave out. */
export const REPLACEMENT: BodyFormat = { ...JSON_BODY, isRequired: true };

/** A JSON merge patch (RFC 7396). */
export const MERGE_PATCH: BodyFormat = {
  mediaTypes: ['application/merge-patch+json', 'application/json'],
  usualType: /^application\/(?:merge-patch\+)?json(?:; ?charset=utf-8)?$/i,
  unsupported:
    'The body must be application/merge-patch+json or application/json in UTF-8, plain or compressed with gzip, deflate, br or zstd',
  isRequired: true,
  announcedBy: 'Accept-Patch',
};

/**
 * The message for a body of another type or encoding.
 *
 * @param value of the header, as far as it can be told
 */
export function unsupportedFor({ unsupported }: BodyFormat, header: string, value: string): string {
  return `${unsupported}; its ${header} is ${value}`;
}

/** Tells which media types a format takes, if there is a header for that. */
export function announceFormat(
  response: ServerResponse,
  { announcedBy, mediaTypes }: BodyFormat,
): void {
  if (announcedBy !== undefined) {
    response.setHeader(announcedBy, mediaTypes.join(', '));
  }
}
