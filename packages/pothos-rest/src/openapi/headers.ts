import { deprecationHeaders } from '@gateway/http-server/http/deprecation-headers';
import { referenceTo } from '@gateway/http-server/http/reference';
import { ACCEPTED_ENCODINGS } from '@gateway/http-server/http/json-body';
import { RETRY_AFTER_SECONDS, type ErrorCode } from '@gateway/errors/coded-error';
import { isJsonObject, type JsonObject } from '@gateway/exact-json/json';
import { successorOf } from '../deprecation.ts';
import type { PreparedRoute, Rest } from '../rest.ts';
import { EXAMPLE_ETAG, EXAMPLE_ID } from './examples.ts';

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
    'Bearer',
  ),
  // Absent if the limit is off, or if the key could not be looked up.
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
  'Accept-Encoding': {
    ...header('The content codings that are read, if the body has another.', ACCEPTED_ENCODINGS),
    required: false,
  },
  'Idempotent-Replayed': {
    ...header('That this was added before, by a request with the same Idempotency-Key.', 'true', {
      enum: ['true'],
    }),
    required: false,
  },
  'Retry-After': header('Seconds after which to try again.', RETRY_AFTER_SECONDS, {
    type: 'integer',
    minimum: 0,
  }),
} as const satisfies Record<string, JsonObject>;

type SharedHeader = keyof typeof SHARED_HEADERS;

const ALWAYS: readonly SharedHeader[] = ['X-Request-Id', 'Cache-Control', 'Vary'];
const OF_VALID_KEYS: readonly SharedHeader[] = ['RateLimit-Policy', 'RateLimit'];

const OF_ERRORS: Partial<Record<ErrorCode, readonly SharedHeader[]>> = {
  UNAUTHENTICATED: [...ALWAYS, 'WWW-Authenticate'],
  UNSUPPORTED_MEDIA_TYPE: [...ALWAYS, ...OF_VALID_KEYS, 'Accept-Encoding'],
  TOO_MANY_REQUESTS: [...ALWAYS, ...OF_VALID_KEYS, 'Retry-After'],
  SERVICE_UNAVAILABLE: [...ALWAYS, ...OF_VALID_KEYS, 'Retry-After'],
};

/** The headers of a route's success: of its own status, or of 304. */
export function headersOfSuccess(rest: Rest, route: PreparedRoute, status: number): JsonObject {
  const { method, path, operation } = route;
  const from = rest.basePath + path;
  const example = referenceTo(`${from}/${EXAMPLE_ID}`, { from });
  return {
    ...references([...ALWAYS, ...OF_VALID_KEYS, ...(method === 'get' ? (['ETag'] as const) : [])]),
    ...(operation.field.extensions.idempotency && references(['Idempotent-Replayed'])),
    ...(status === 201 && {
      Location: header(
        'Where the new one is, to be resolved against the URL of the request.',
        example,
        { format: 'uri-reference' },
      ),
    }),
    ...headersOfDeprecation(rest, route, operation.isPaged ? pageLinks(from) : []),
  };
}

/** Of errors that have a status in common: what only some of them have isn't required. */
export function headersOfErrors(
  rest: Rest,
  route: PreparedRoute,
  codes: readonly ErrorCode[],
): JsonObject {
  const each = codes.map((code) =>
    // Requests are rejected for load before authentication and routing.
    code === 'OVERLOADED'
      ? references(['X-Request-Id', 'Cache-Control', 'Retry-After'])
      : {
          ...references(OF_ERRORS[code] ?? [...ALWAYS, ...OF_VALID_KEYS]),
          ...headersOfDeprecation(rest, route),
        },
  );
  const entries = each.flatMap((headers) => Object.entries(headers));
  return Object.fromEntries(
    entries.map(([name, object]) => [
      name,
      each.every((headers) => name in headers) ? object : optional(name, object),
    ]),
  );
}

/** A link's relation, meaning and example. */
type Link = readonly [relation: string, meaning: string, target?: string];

function pageLinks(from: string): Link[] {
  return [
    ['first', 'where the list begins', referenceTo(from, { from })],
    ['next', 'where it goes on, while there is more', `?after=${EXAMPLE_ID}`],
  ];
}

/** What a deprecated route adds to all responses, and the links that other routes have, too. */
function headersOfDeprecation(
  rest: Rest,
  { operation, path }: PreparedRoute,
  links: readonly Link[] = [],
): JsonObject {
  const { deprecation } = operation.field.extensions;
  if (deprecation === undefined) {
    return linkHeader(links);
  }
  const { Deprecation, Sunset } = deprecationHeaders(deprecation);
  const successor = referenceTo(rest.basePath + successorOf(rest, deprecation), {
    from: rest.basePath + path,
  });
  return {
    Deprecation: header('Since when, as `@` and Unix seconds (RFC 9745).', Deprecation),
    Sunset: header('When it will be gone (RFC 8594).', Sunset),
    ...linkHeader([
      ['successor-version', 'what serves instead', successor],
      ['deprecation', 'where to read about it'],
      ...links,
    ]),
  };
}

function linkHeader(links: readonly Link[]): JsonObject {
  const meanings = links.map(([relation, meaning]) => `\`rel="${relation}"\` ${meaning}`);
  const description = `References, to be resolved against the URL of the request (RFC 8288): ${meanings.join('; ')}.`;
  const examples = links.flatMap(([relation, , target]) =>
    target === undefined ? [] : [`<${target}>; rel="${relation}"`],
  );
  return links.length === 0 ? {} : { Link: header(description, examples.join(', ')) };
}

/** The Header Object of a header that is always there. */
function header(
  description: string,
  example: string | number,
  schema: JsonObject = {},
): JsonObject {
  return { description, required: true, schema: { type: 'string', ...schema }, example };
}

/** Inline, because a reference can't have siblings. */
function optional(name: string, object: unknown): JsonObject {
  const shared: JsonObject = SHARED_HEADERS;
  const whole = shared[name] ?? object;
  return { ...(isJsonObject(whole) ? whole : {}), required: false };
}

function references(names: readonly SharedHeader[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
