import type { IncomingMessage, ServerResponse } from 'node:http';

/** The preference of clients that would rather fail than have something of a request ignored (RFC 7240, 4.4). */
export const STRICT = 'handling=strict';

/**
 * Whether a request would rather fail than have something of it ignored: `Prefer: handling=strict` (RFC 7240, 4.4). Of several
 * values the first counts (RFC 7240, 2). Parameters, behind a semicolon, mean nothing to it.
 */
export function prefersStrict({ headers }: IncomingMessage): boolean {
  const header = headers['prefer']?.toString();
  if (header === undefined) {
    return false;
  }
  // Node joins repeated ones with commas. No regular expression: of a long header one could take minutes.
  const [, value = ''] =
    header
      .split(',')
      .map((preference) => (preference.split(';')[0] ?? '').split('='))
      .find(([name = '']) => name.trim().toLowerCase() === 'handling') ?? [];
  return ['strict', '"strict"'].includes(value.trim().toLowerCase());
}

/** Tells a client that its preference was heeded (RFC 7240, 3). */
export function announceStrict(response: ServerResponse): void {
  response.setHeader('Preference-Applied', STRICT);
}
