import type { IncomingMessage, ServerResponse } from 'node:http';
import { codedError } from '@store-gateway/ops/errors';

/** A string of RFC 9651, 3.3.3, as the draft of the header has it … */
const QUOTED = /^"((?:[ !#-[\]-~]|\\["\\])*)"$/;
/** … and as most clients send it. No space: in repeated headers, which Node joins, there is one. */
const BARE = /^[!#-~]+$/;

const MAX_LENGTH = 255;

/** The message for a header that is no idempotency key. */
export const INVALID_IDEMPOTENCY_KEY = `Idempotency-Key must be one string of 1 to ${MAX_LENGTH} printable ASCII characters`;

/**
 * What a request's Idempotency-Key says, with or without quotes
 * (https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/).
 *
 * @throws BAD_USER_INPUT
 */
export function idempotencyKeyOf({ headers }: IncomingMessage): string | undefined {
  // Node joins repeated ones.
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

/** Of a repetition that shows other rows than the written one as they are now. */
export const EMBEDDED_NOW = 'true; embedded=current';

/** Tells a caller that what was written under their key before is sent again. The name is Stripe's; the draft has none. */
export function announceReplay(response: ServerResponse, isAsFirst = true): void {
  response.setHeader('Idempotent-Replayed', isAsFirst ? 'true' : EMBEDDED_NOW);
}
