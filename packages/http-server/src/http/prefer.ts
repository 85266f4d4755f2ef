import type { IncomingMessage, ServerResponse } from 'node:http';

/** A preference with its value; parameters, behind a semicolon, mean nothing to those that there are. */
const PREFERENCE = /^\s*([!#$%&'*+.^_`|~\w-]+)\s*(?:=\s*("?)([^";]*)\2\s*)?(?:;.*)?$/;

/**
 * Whether a request would rather fail than have something of it ignored: `Prefer: handling=strict` (RFC 7240, 4.4). Of several
 * values the first counts (RFC 7240, 2).
 */
export function prefersStrict({ headers }: IncomingMessage): boolean {
  // Node joins repeated ones with commas.
  const header = headers['prefer']?.toString() ?? '';
  const handling = header
    .split(',')
    .map((preference) => PREFERENCE.exec(preference) ?? [])
    .find(([, name]) => name?.toLowerCase() === 'handling');
  return handling?.[3]?.trim().toLowerCase() === 'strict';
}

/** Tells a client that its preference was heeded (RFC 7240, 3). */
export function announceStrict(response: ServerResponse): void {
  response.setHeader('Preference-Applied', 'handling=strict');
}
