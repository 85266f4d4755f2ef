import { MERGE_PATCH, ACCEPTED_ENCODINGS, STRICT } from '@store-gateway/http';
import { RETRY_AFTER_SECONDS } from '@store-gateway/ops/errors';
import type { JsonObject } from '@store-gateway/ops';
import { IGNORED_PARAMETERS } from '../strict.ts';
import { referTo, type Components } from './components.ts';
import { EXAMPLE_ETAG } from './examples.ts';

/** The headers that are the same on every route. */
const SHARED_HEADERS = {
  'X-Request-Id': header(
    "Identifies this request in the service's log. It is the request's own X-Request-Id if that has 1 to 128 letters, digits and `_ . : -`, otherwise a new one.",
    'b3f1c2d4-5e6f-4a7b-8c9d-0e1f2a3b4c5d',
    { pattern: '^[A-Za-z0-9_.:-]{1,128}$' },
  ),
  'Cache-Control': header(
    'The response is for this caller only, and must be revalidated before it is reused.',
    'private, no-cache',
  ),
  // Without Authorization if the request was rejected for load, before its key was looked up.
  Vary: header(
    'The response depends on the API key; an error also on `Accept`.',
    'Authorization',
    { pattern: '^(Authorization(, Accept)?|Accept)$' },
    false,
  ),
  ETag: header('Strong entity tag of the body, for `If-None-Match`.', EXAMPLE_ETAG),
  'WWW-Authenticate': header(
    'How to authenticate and, if a key was sent, what is wrong with it (RFC 6750, 3).',
    'Bearer',
  ),
  // Absent if the limit is off, or if the key could not be looked up.
  'RateLimit-Policy': header(
    'The request quota of the key (`q`), and the seconds in which it refills evenly (`w`).',
    '"key";q=60000;w=60',
    { pattern: '^"[a-z-]+";q=[0-9]+;w=[0-9]+$' },
    false,
  ),
  RateLimit: header(
    'The requests left (`r`), and the seconds until there are more (`t`).',
    '"key";r=59999;t=1',
    { pattern: '^"[a-z-]+";r=[0-9]+;t=[0-9]+$' },
    false,
  ),
  [IGNORED_PARAMETERS]: header(
    'Names of query parameters that the operation does not have, percent-encoded: at most 10, each of at most 40 characters.',
    'limt',
    {},
    false,
  ),
  'Preference-Applied': header(
    'Present if the request had `Prefer: handling=strict`.',
    STRICT,
    { enum: [STRICT] },
    false,
  ),
  'Accept-Encoding': header(
    'The supported content encodings, if the body has another.',
    ACCEPTED_ENCODINGS,
    {},
    false,
  ),
  'Accept-Patch': header(
    'The supported media types, if the body has another.',
    MERGE_PATCH.mediaTypes.join(', '),
    {},
    false,
  ),
  'Idempotent-Replayed': header(
    'Present if an earlier request with the same Idempotency-Key already added this.',
    'true',
    { enum: ['true'] },
    false,
  ),
  'Retry-After': header('Seconds to wait before trying again.', RETRY_AFTER_SECONDS, {
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
