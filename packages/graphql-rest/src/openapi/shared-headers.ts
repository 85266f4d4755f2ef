import { ACCEPTED_ENCODINGS } from '@gateway/http-server/http/json-body';
import { RETRY_AFTER_SECONDS } from '@gateway/errors/coded-error';
import type { JsonObject } from '@gateway/exact-json/json';
import { referTo, type Components } from './components.ts';
import { EXAMPLE_ETAG } from './examples.ts';

/** The headers that are the same on every route. */
const SHARED_HEADERS = {
  'X-Request-Id': header(
    "Names this request in the service's log: the request's own X-Request-Id if that is up to 128 letters, digits and `_ . : -`, otherwise a new one.",
    'b3f1c2d4-5e6f-4a7b-8c9d-0e1f2a3b4c5d',
    { pattern: '^[A-Za-z0-9_.:-]{1,128}$' },
  ),
  'Cache-Control': header(
    'The answer is for this caller alone, who has to ask again each time.',
    'private, no-cache',
  ),
  // Absent if the request was refused for load, before anyone looked at the key.
  Vary: header('The answer depends on the key.', 'Authorization', {}, false),
  ETag: header('Strong entity tag of the body, to be sent as `If-None-Match`.', EXAMPLE_ETAG),
  'WWW-Authenticate': header(
    'How to authenticate, and what is wrong with the key if one was sent (RFC 6750, 3).',
    'Bearer',
  ),
  // Absent if the limit is off, or if the key could not be looked up.
  'RateLimit-Policy': header(
    'How many requests the key may send (`q`), and the seconds in which it gets them back (`w`), evenly.',
    '"key";q=60000;w=60',
    { pattern: '^"[a-z-]+";q=[0-9]+;w=[0-9]+$' },
    false,
  ),
  RateLimit: header(
    'How many requests are left (`r`), and the seconds after which there are more (`t`).',
    '"key";r=59999;t=1',
    { pattern: '^"[a-z-]+";r=[0-9]+;t=[0-9]+$' },
    false,
  ),
  'Accept-Encoding': header(
    'The content codings that are read, if the body has another.',
    ACCEPTED_ENCODINGS,
    {},
    false,
  ),
  'Idempotent-Replayed': header(
    'That this was added before, by a request with the same Idempotency-Key.',
    'true',
    { enum: ['true'] },
    false,
  ),
  'Retry-After': header('Seconds after which to try again.', RETRY_AFTER_SECONDS, {
    type: 'integer',
    minimum: 0,
  }),
} as const satisfies Record<string, JsonObject>;

export type SharedHeader = keyof typeof SHARED_HEADERS;

/** The Header Object of a header of text, unless its schema says otherwise. */
export function header(
  description: string,
  example: string | number,
  schema: JsonObject = {},
  required = true,
): JsonObject {
  return { description, required, schema: { type: 'string', ...schema }, example };
}

/** References to them. */
export function shared(names: readonly SharedHeader[], components: Components): JsonObject {
  return Object.fromEntries(
    names.map((name) => [name, referTo(components, 'headers', name, SHARED_HEADERS[name])]),
  );
}
