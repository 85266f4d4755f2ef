import { STATUS_CODES } from 'node:http';
import { isObjectType } from 'graphql';
import { type ErrorCode, errorStatus, RETRY_AFTER_SECONDS } from '@store-gateway/ops/errors';
import type { JsonObject } from '@store-gateway/ops';
import {
  ACCEPTED_ENCODINGS,
  deprecationHeaders,
  EMBEDDED_NOW,
  bodyFormatOf,
  referenceTo,
  STRICT,
} from '@store-gateway/http';
import { firstRemoved, type NamedDeprecation } from '@store-gateway/graphql';
import { inputMembers } from '../members.ts';
import { hasEntityTag, isCreation, type PreparedRoute, type Rest, TOTAL_COUNT } from '../rest.ts';
import {
  type Components,
  EXAMPLE_ETAG,
  EXAMPLE_ID,
  memberExample,
  referencesOf,
  referTo,
  representationSchema,
} from './schemas.ts';
import { customErrors, restErrorMeanings, sharedErrors } from './errors.ts';
import { successorsOf } from '../deprecation.ts';
import { IGNORED_PARAMETERS } from '../requests.ts';

type RouteError = ReturnType<typeof customErrors>[number];

const SUCCESSES: Readonly<Record<PreparedRoute['status'], string>> = {
  200: 'Success.',
  201: 'Created.',
  202: 'Accepted.',
  204: 'Success, without content.',
};

/** Returns the Response Objects of a route, by status. */
export function responsesOf(rest: Rest, route: PreparedRoute, components: Components): JsonObject {
  const { method, status, operation } = route;
  const headers = headersOfSuccess(rest, route, components);
  return {
    [status]: {
      description: SUCCESSES[status],
      headers,
      ...(status !== 204 && {
        content: {
          'application/json': {
            schema: representationSchema(route, components),
            example: memberExample(operation.resource, operation.type),
          },
        },
      }),
      ...linksOf(rest, route),
    },
    ...(route.unread && {
      204: {
        description: 'The change was made. A caller without the scope `read` gets no content.',
        headers: headersOfSuccess(rest, { ...route, status: 204 }, components),
      },
    }),
    ...(method === 'get' && {
      304: {
        description: 'The client already has the current response, as its entity tags show.',
        headers,
      },
    }),
    ...errorResponses(customErrors(route), rest, components, route),
    ...errorResponses(sharedErrors(rest, route), rest, components),
  };
}

/**
 * Returns the Link Objects of a route that creates a row. They refer to the operations whose request bodies take the row's id.
 */
function linksOf(rest: Rest, { status, operation: { type } }: PreparedRoute): JsonObject {
  const model = isObjectType(type) ? type.extensions.pothosPrismaModel : undefined;
  if (status !== 201 || model === undefined) {
    return {};
  }
  const links = rest.routes.flatMap(({ operation, variables }) => {
    const references = referencesOf(operation.type);
    const members = inputMembers(variables.body?.[1].type)
      .map(({ key }) => key)
      .filter((key) => references[key] === model);
    const requestBody = Object.fromEntries(members.map((key) => [key, '$response.body#/id']));
    const link = { operationId: operation.name, requestBody };
    return members.length === 0 ? [] : [[operation.name, link] as const];
  });
  return links.length === 0 ? {} : { links: Object.fromEntries(links) };
}

/**
 * Returns references to the components for error responses, by status. The components are named after the status and, for a
 * route's own errors, after the route.
 */
function errorResponses(
  errors: readonly RouteError[],
  rest: Rest,
  components: Components,
  route?: PreparedRoute,
): JsonObject {
  const prefix = route === undefined ? '' : `${route.operation.name}-`;
  const possible = errors.filter(([, , messages]) => messages !== undefined);
  const byStatus = Map.groupBy(possible, ([code]) => errorStatus(code));
  return Object.fromEntries(
    Array.from(byStatus, ([status, ofStatus]) => {
      const name = prefix + (STATUS_CODES[status] ?? '').replaceAll(' ', '');
      return [
        status,
        referTo(components, 'responses', name, errorResponse(ofStatus, rest, components, route)),
      ];
    }),
  );
}

/** @param errors the errors with the same status */
function errorResponse(
  errors: readonly RouteError[],
  rest: Rest,
  components: Components,
  route: PreparedRoute | undefined,
): JsonObject {
  const codes = errors.map(([code]) => code);
  const examples = errors.flatMap(([code, , messages = {}]) => {
    const named = typeof messages === 'string' ? { [code]: messages } : messages;
    const status = errorStatus(code);
    return Object.entries(named).map(
      ([name, message]) => [name, { value: { code, message, status } }] as const,
    );
  });
  return {
    description: errors.map(([, description]) => description).join(' Or: '),
    headers: headersOfErrors(codes, components, route),
    content: {
      'application/json': {
        schema: errorSchema(rest, components),
        examples: Object.fromEntries(examples),
      },
    },
  };
}

function errorSchema(rest: Rest, components: Components): JsonObject {
  const meanings = restErrorMeanings(rest);
  const code = referTo(components, 'schemas', 'ErrorCode', {
    type: 'string',
    description:
      'Machine-readable error code. Later versions may add codes: handle an unknown code by its status.',
    // Any string is allowed, because clients generated from a closed enumeration fail when a code is added.
    anyOf: [{ type: 'string', enum: [...meanings.keys()] }, { type: 'string' }],
    // An extension by Redocly.
    'x-enumDescriptions': Object.fromEntries(meanings),
  });
  return referTo(components, 'schemas', 'Error', {
    type: 'object',
    description: 'Why a request was rejected or failed.',
    required: ['code', 'message', 'status'],
    properties: {
      code,
      message: { type: 'string', description: 'Human-readable description.' },
      status: {
        type: 'integer',
        minimum: 400,
        maximum: 599,
        description: 'The HTTP status code.',
      },
    },
  });
}

/** The headers that are the same on every route. */
const SHARED_HEADERS = {
  'X-Request-Id': header(
    "Identifies this request in the service's log: the request's own `X-Request-Id` if it is 1 to 128 letters, digits and `_ . : -`, otherwise a new id.",
    'b3f1c2d4-5e6f-4a7b-8c9d-0e1f2a3b4c5d',
    { pattern: '^[A-Za-z0-9_.:-]{1,128}$' },
  ),
  'Cache-Control': header(
    'The response is for this caller only and must be revalidated before it is reused.',
    'private, no-cache',
  ),
  // If the request was rejected for overload before its key was looked up, `Vary` doesn't contain Authorization.
  Vary: header(
    'The response depends on the API key. An error response also depends on `Accept`.',
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
    "The key's request quota (`q`), and the number of seconds over which it refills evenly (`w`).",
    '"key";q=60000;w=60',
    { pattern: '^"[a-z-]+";q=[0-9]+;w=[0-9]+$' },
    false,
  ),
  RateLimit: header(
    'Requests left (`r`), and seconds until more are available (`t`).',
    '"key";r=59999;t=1',
    { pattern: '^"[a-z-]+";r=[0-9]+;t=[0-9]+$' },
    false,
  ),
  [IGNORED_PARAMETERS]: header(
    'Names of the query parameters that the operation does not support, percent-encoded: at most 10 names of at most 40 characters each.',
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
    'The supported content encodings, if the request body uses another.',
    ACCEPTED_ENCODINGS,
    {},
    false,
  ),
  'Accept-Patch': header(
    'The supported media types, if the request body uses another.',
    bodyFormatOf({ method: 'patch' }).mediaTypes.join(', '),
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

type SharedHeader = keyof typeof SHARED_HEADERS;

const ALWAYS: readonly SharedHeader[] = ['X-Request-Id', 'Cache-Control', 'Vary'];
const OF_VALID_KEYS: readonly SharedHeader[] = [
  ...ALWAYS,
  'RateLimit-Policy',
  'RateLimit',
  'Ignored-Parameters',
  'Preference-Applied',
];

const OF_ERRORS: Readonly<Partial<Record<string, readonly SharedHeader[]>>> = {
  UNAUTHENTICATED: [...ALWAYS, 'WWW-Authenticate'],
  FORBIDDEN: [...OF_VALID_KEYS, 'WWW-Authenticate'],
  UNSUPPORTED_MEDIA_TYPE: [...OF_VALID_KEYS, 'Accept-Encoding'],
  TOO_MANY_REQUESTS: [...OF_VALID_KEYS, 'Retry-After'],
  SERVICE_UNAVAILABLE: [...OF_VALID_KEYS, 'Retry-After'],
} satisfies Partial<Record<ErrorCode, readonly SharedHeader[]>>;

/** Returns the headers of a route's success responses. Headers that only this route has are components named after the route. */
function headersOfSuccess(rest: Rest, route: PreparedRoute, components: Components): JsonObject {
  const { path, operation } = route;
  const isReplayable = Boolean(operation.field.extensions.idempotency);
  const repeatsShared = isCreation(route) && operation.showsRowAlone;
  const from = rest.basePath + path;
  const example = referenceTo(route.addressOf(from, String(EXAMPLE_ID)), { from });
  const own = {
    ...(isReplayable &&
      !repeatsShared && { 'Idempotent-Replayed': replayHeader(operation.showsRowAlone) }),
    ...(isCreation(route) && {
      Location: header(
        'URL of the created resource. Resolve it against the request URL.',
        example,
        { format: 'uri-reference' },
      ),
    }),
    ...(operation.isCounted && {
      [TOTAL_COUNT]: header('Total number of items in the list.', 42, {
        type: 'integer',
        minimum: 0,
      }),
    }),
    ...headersOfDeprecation(rest, route, operation.isPaged ? pageLinks(from) : []),
  };
  return {
    ...shared(OF_VALID_KEYS, components),
    ...(hasEntityTag(route) && shared(['ETag'], components)),
    ...(isReplayable && repeatsShared && shared(['Idempotent-Replayed'], components)),
    ...Object.fromEntries(
      Object.entries(own).map(([name, object]) => [
        name,
        referTo(components, 'headers', `${operation.name}-${name}`, object),
      ]),
    ),
  };
}

function replayHeader(isOfRow: boolean): JsonObject {
  return header(
    `Present if an earlier request with the same Idempotency-Key already made this change.${
      isOfRow ? '' : ` \`${EMBEDDED_NOW}\` if embedded objects show their current state.`
    }`,
    'true',
    { enum: isOfRow ? ['true'] : ['true', EMBEDDED_NOW] },
    false,
  );
}

/** Returns the headers of error responses with one status, of one route or of all routes. */
function headersOfErrors(
  codes: readonly string[],
  components: Components,
  route?: PreparedRoute,
): JsonObject {
  const isOfPatch = route?.method === 'patch' && codes.includes('UNSUPPORTED_MEDIA_TYPE');
  const names = codes.flatMap((code) => OF_ERRORS[code] ?? OF_VALID_KEYS);
  return shared(isOfPatch ? [...names, 'Accept-Patch'] : names, components);
}

const EXAMPLE_DOCUMENTATION = '/docs';

/** A link's relation type, meaning and example. */
type Link = readonly [relation: string, meaning: string, target?: string];

function pageLinks(from: string): Link[] {
  return [
    ['first', 'is the first page', referenceTo(from, { from })],
    ['next', 'is the next page, if there is one', `?after=${EXAMPLE_ID}`],
  ];
}

/**
 * Returns the deprecation headers of a route. If the route is deprecated, all responses have them; otherwise, only responses to
 * requests that use something deprecated. `Link` also contains `links`.
 */
function headersOfDeprecation(
  rest: Rest,
  { path, deprecations: { end, members, inputs } }: PreparedRoute,
  links: readonly Link[],
): Record<string, JsonObject> {
  const first = end ?? firstRemoved([...members, ...inputs]);
  if (first === undefined) {
    return linkHeader(links);
  }
  const isRequired = end !== undefined;
  const { Deprecation, Sunset } = deprecationHeaders(first);
  const what = isRequired ? 'the operation' : 'something that the request used';
  const errors = isRequired ? ' Error responses also have it.' : '';
  const since = `When ${what} was deprecated, as \`@\` and Unix seconds (RFC 9745).${errors}`;
  const until = `When ${what} will be removed (RFC 8594).${errors}`;
  return {
    Deprecation: header(since, Deprecation, {}, isRequired),
    Sunset: header(until, Sunset, {}, isRequired),
    ...linkHeader(
      [...deprecationLinks(rest, path, first), ...links],
      isRequired || links.length > 0,
    ),
  };
}

function deprecationLinks(rest: Rest, path: string, deprecation: NamedDeprecation): Link[] {
  const [successor] = successorsOf(rest, deprecation);
  const from = rest.basePath + path;
  const meaning = 'explains the deprecation';
  return successor === undefined
    ? [['deprecation', meaning, EXAMPLE_DOCUMENTATION]]
    : [
        [
          'successor-version',
          'is the replacement',
          referenceTo(rest.basePath + successor, { from }),
        ],
        ['deprecation', meaning],
      ];
}

function linkHeader(links: readonly Link[], required = true): Record<string, JsonObject> {
  const meanings = links.map(([relation, meaning]) => `\`rel="${relation}"\` ${meaning}`);
  const description = `Links (RFC 8288). Resolve them against the request URL. ${meanings.join('; ')}.`;
  const examples = links.flatMap(([relation, , target]) =>
    target === undefined ? [] : [`<${target}>; rel="${relation}"`],
  );
  return links.length === 0 ? {} : { Link: header(description, examples.join(', '), {}, required) };
}

/** Returns a Header Object. Its type is string unless `schema` sets a different one. */
function header(
  description: string,
  example: string | number,
  schema: JsonObject = {},
  required = true,
): JsonObject {
  return { description, required, schema: { type: 'string', ...schema }, example };
}

function shared(names: readonly SharedHeader[], components: Components): JsonObject {
  return Object.fromEntries(
    names.map((name) => [name, referTo(components, 'headers', name, SHARED_HEADERS[name])]),
  );
}
