import type { IncomingMessage, ServerResponse } from 'node:http';
import { codedError } from '@store-gateway/ops/errors';

/** A quoted string (RFC 9651, 3.3.3), as the header's draft requires. */
const QUOTED = /^"((?:[ !#-[\]-~]|\\["\\])*)"$/;
/** An unquoted key, as most clients send it. It has no spaces, unlike repeated headers, which Node joins. */
const BARE = /^[!#-~]+$/;

const MAX_LENGTH = 255;

/** The message for an invalid idempotency key. */
export const INVALID_IDEMPOTENCY_KEY = `Idempotency-Key must be one string of 1 to ${MAX_LENGTH} printable ASCII characters`;

/**
 * Returns a request's Idempotency-Key, which may be quoted or not
 * (https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/).
 *
 * @throws BAD_USER_INPUT
 */
export function idempotencyKeyOf({ headers }: IncomingMessage): string | undefined {
  // Node joins repeated headers.
  const header = headers['idempotency-key']?.toString();
  if (header === undefined) {
    return undefined;
  }
  const quoted = QUOTED.exec(header)?.[1]?.replaceAll(/\\(.)/g, '$1');
  const key = quoted ?? (BARE.test(header) ? header : '');
  if (key === '' || key.length > MAX_LENGTH) {
    throw codedError('BAD_USER_INPUT', INVALID_IDEMPOTENCY_KEY);
  }
  return key;
}

/** The value of Idempotent-Replayed if rows other than the written one are shown in their current state. */
export const EMBEDDED_NOW = 'true; embedded=current';

/**
 * Announces that a response replays an earlier write with the same idempotency key. The header's name is Stripe's; the draft
 * has none.
 */
export function announceReplay(response: ServerResponse, isAsFirst = true): void {
  response.setHeader('Idempotent-Replayed', isAsFirst ? 'true' : EMBEDDED_NOW);
}
