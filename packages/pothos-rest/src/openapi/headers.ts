import { bearerChallenge } from '@gateway/http-server/http/bearer';
import { RETRY_AFTER_SECONDS, type ErrorCode } from '@gateway/errors/coded-error';
import { isJsonObject, type JsonObject } from '@gateway/exact-json/json';
import type { Route } from '../../../../src/rest/routes.ts';
import { EXAMPLE_ETAG } from './examples.ts';
import { header } from './header.ts';
import {
  deprecationHeaderObjects,
  deprecationLinks,
  linkHeader,
  locationHeader,
  pageLinks,
} from './route-headers.ts';

/** The headers that are the same on every route. */
export const SHARED_HEADERS = {
  'X-Request-Id': header(
    "Names this request in the service's log: the request's own X-Request-Id if that is up to 128 letters, digits and `_ . : -`, otherwise a new one.",
    'b3f1c2d4-5e6f-4a7b-8c9d-0e1f2a3b4c5d',
    { pattern: '^[A-Za-z0-9_.:-]{1,128}$' },
  ),
  'Cache-Control': header(
    'The answer is for this caller alone, who has to ask again each time.',
    'private, no-cache',
  ),
  Vary: header('The answer depends on the key.', 'Authorization'),
  ETag: header('Strong entity tag of the body, to be sent as `If-None-Match`.', EXAMPLE_ETAG),
  'WWW-Authenticate': header(
    'How to authenticate, and what is wrong with the key if one was sent (RFC 6750, 3).',
    bearerChallenge(undefined),
  ),
  // Not if the limit is off, or if the key could not be looked up.
  'RateLimit-Policy': {
    ...header(
      'How many requests the key may send (`q`), and the seconds in which it gets them back (`w`), evenly.',
      '"key";q=60000;w=60',
      { pattern: '^"[a-z-]+";q=[0-9]+;w=[0-9]+$' },
    ),
    required: false,
  },
  RateLimit: {
    ...header(
      'How many requests are left (`r`), and the seconds after which there are more (`t`).',
      '"key";r=59999;t=1',
      { pattern: '^"[a-z-]+";r=[0-9]+;t=[0-9]+$' },
    ),
    required: false,
  },
  'Retry-After': header('Seconds after which to try again.', RETRY_AFTER_SECONDS, {
    type: 'integer',
    minimum: 0,
  }),
} as const satisfies Record<string, JsonObject>;

const ALWAYS = ['X-Request-Id', 'Cache-Control', 'Vary'] as const;
const OF_VALID_KEYS = ['RateLimit-Policy', 'RateLimit'] as const;

const OF_ERRORS: Partial<Record<ErrorCode, keyof typeof SHARED_HEADERS>> = {
  UNAUTHENTICATED: 'WWW-Authenticate',
  TOO_MANY_REQUESTS: 'Retry-After',
  SERVICE_UNAVAILABLE: 'Retry-After',
};

/** The headers of what a route answers when all is well: with its own status, or with 304. */
export function headersOfSuccess(route: Route, status: number): JsonObject {
  return {
    ...references(
      ...ALWAYS,
      ...OF_VALID_KEYS,
      ...(route.method === 'get' ? (['ETag'] as const) : []),
    ),
    ...(status === 201 && { Location: locationHeader(route) }),
    ...deprecationHeaderObjects(route),
    ...linkHeader([...deprecationLinks(route), ...pageLinks(route)]),
  };
}

/** Of errors that have a status in common: what only some of them have need not be there. */
export function headersOfErrors(route: Route, codes: readonly ErrorCode[]): JsonObject {
  const each = codes.map((code) => headersOfError(route, code));
  return Object.fromEntries(
    each
      .flatMap((headers) => Object.entries(headers))
      .map(([name, object]) => [
        name,
        each.every((headers) => name in headers) ? object : optional(name, object),
      ]),
  );
}

function headersOfError(route: Route, code: ErrorCode): JsonObject {
  if (code === 'OVERLOADED') {
    // It is refused before anyone looks at whose it is, or what it wants.
    return references('X-Request-Id', 'Cache-Control', 'Retry-After');
  }
  const own = OF_ERRORS[code];
  return {
    ...references(
      ...ALWAYS,
      ...(code === 'UNAUTHENTICATED' ? [] : OF_VALID_KEYS),
      ...(own === undefined ? [] : [own]),
    ),
    ...deprecationHeaderObjects(route),
    ...linkHeader(deprecationLinks(route)),
  };
}

/** Nothing can be said beside a reference. */
function optional(name: string, object: unknown): JsonObject {
  const shared: JsonObject = SHARED_HEADERS;
  const whole = shared[name] ?? object;
  return { ...(isJsonObject(whole) ? whole : {}), required: false };
}

function references(...names: (keyof typeof SHARED_HEADERS)[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
