import { deprecationHeaders } from '@gateway/http-server/http/deprecation-headers';
import { referenceTo } from '@gateway/http-server/http/reference';
import type { ErrorCode } from '@gateway/errors/coded-error';
import type { JsonObject } from '@gateway/exact-json/json';
import { successorOf } from '../deprecation.ts';
import { hasEntityTag, isCreation, type PreparedRoute, type Rest } from '../rest.ts';
import { referTo, type Components } from './components.ts';
import { EXAMPLE_ID } from './examples.ts';
import { header, shared, type SharedHeader } from './shared-headers.ts';

const ALWAYS: readonly SharedHeader[] = ['X-Request-Id', 'Cache-Control', 'Vary'];
const OF_VALID_KEYS: readonly SharedHeader[] = [...ALWAYS, 'RateLimit-Policy', 'RateLimit'];

const OF_ERRORS: Readonly<Partial<Record<string, readonly SharedHeader[]>>> = {
  UNAUTHENTICATED: [...ALWAYS, 'WWW-Authenticate'],
  UNSUPPORTED_MEDIA_TYPE: [...OF_VALID_KEYS, 'Accept-Encoding'],
  TOO_MANY_REQUESTS: [...OF_VALID_KEYS, 'Retry-After'],
  SERVICE_UNAVAILABLE: [...OF_VALID_KEYS, 'Retry-After'],
} satisfies Partial<Record<ErrorCode, readonly SharedHeader[]>>;

/** The headers of a route's success. Headers of its own are named after it. */
export function headersOfSuccess(
  rest: Rest,
  route: PreparedRoute,
  components: Components,
): JsonObject {
  const { path, operation } = route;
  const isReplayable = Boolean(operation.field.extensions.idempotency);
  const from = rest.basePath + path;
  const example = referenceTo(route.addressOf(from, String(EXAMPLE_ID)), { from });
  const own = {
    ...(isReplayable &&
      !isCreation(route) && {
        'Idempotent-Replayed': header(
          'Present if an earlier request with the same Idempotency-Key already did this.',
          'true',
          { enum: ['true'] },
          false,
        ),
      }),
    ...(isCreation(route) && {
      Location: header(
        'Reference to what was created. Resolve it against the URL of the request.',
        example,
        { format: 'uri-reference' },
      ),
    }),
    ...headersOfDeprecation(rest, route, operation.isPaged ? pageLinks(from) : []),
  };
  return {
    ...shared(OF_VALID_KEYS, components),
    ...(hasEntityTag(route) && shared(['ETag'], components)),
    ...(isReplayable && isCreation(route) && shared(['Idempotent-Replayed'], components)),
    ...Object.fromEntries(
      Object.entries(own).map(([name, object]) => [
        name,
        referTo(components, 'headers', `${operation.name}-${name}`, object),
      ]),
    ),
  };
}

/** The headers of errors that share a status, of one route or of all. */
export function headersOfErrors(
  codes: readonly string[],
  components: Components,
  route?: PreparedRoute,
): JsonObject {
  const isOfPatch = route?.method === 'patch' && codes.includes('UNSUPPORTED_MEDIA_TYPE');
  const names = codes.flatMap((code) => OF_ERRORS[code] ?? OF_VALID_KEYS);
  return shared(isOfPatch ? [...names, 'Accept-Patch'] : names, components);
}

/** A link's relation, meaning and example. */
type Link = readonly [relation: string, meaning: string, target?: string];

function pageLinks(from: string): Link[] {
  return [
    ['first', 'is the first page', referenceTo(from, { from })],
    ['next', 'is the next page, if there is one', `?after=${EXAMPLE_ID}`],
  ];
}

/** The headers that a deprecated route adds to all responses, and the links that other routes have, too. */
function headersOfDeprecation(
  rest: Rest,
  { operation, path }: PreparedRoute,
  links: readonly Link[],
): Record<string, JsonObject> {
  const { deprecation } = operation.field.extensions;
  if (deprecation === undefined) {
    return linkHeader(links);
  }
  const { Deprecation, Sunset } = deprecationHeaders(deprecation);
  const successor = referenceTo(rest.basePath + successorOf(rest, deprecation), {
    from: rest.basePath + path,
  });
  return {
    Deprecation: header(
      'When the operation was deprecated, as `@` and Unix seconds (RFC 9745). Errors have it, too.',
      Deprecation,
    ),
    Sunset: header('When the operation will be removed (RFC 8594). Errors have it, too.', Sunset),
    ...linkHeader([
      ['successor-version', 'is the replacement', successor],
      ['deprecation', 'explains the deprecation'],
      ...links,
    ]),
  };
}

function linkHeader(links: readonly Link[]): Record<string, JsonObject> {
  const meanings = links.map(([relation, meaning]) => `\`rel="${relation}"\` ${meaning}`);
  const description = `References (RFC 8288). Resolve them against the URL of the request. ${meanings.join('; ')}.`;
  const examples = links.flatMap(([relation, , target]) =>
    target === undefined ? [] : [`<${target}>; rel="${relation}"`],
  );
  return links.length === 0 ? {} : { Link: header(description, examples.join(', ')) };
}
