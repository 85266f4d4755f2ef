import { deprecationHeaders, EMBEDDED_NOW, referenceTo } from '@store-gateway/http';
import { firstRemoved, type NamedDeprecation } from '@store-gateway/graphql';
import type { ErrorCode } from '@store-gateway/ops/errors';
import type { JsonObject } from '@store-gateway/ops';
import { successorsOf } from '../deprecation.ts';
import { TOTAL_COUNT } from '../page.ts';
import { hasEntityTag, isCreation, type PreparedRoute, type Rest } from '../rest.ts';
import { referTo, type Components } from './components.ts';
import { EXAMPLE_ID } from './examples.ts';
import { header, shared, type SharedHeader } from './shared-headers.ts';

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

/** The headers of a route's success. Headers of its own are named after it. */
export function headersOfSuccess(
  rest: Rest,
  route: PreparedRoute,
  components: Components,
): JsonObject {
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
        'Reference to what was created. Resolve it against the URL of the request.',
        example,
        { format: 'uri-reference' },
      ),
    }),
    ...(operation.isCounted && {
      [TOTAL_COUNT]: header('How many items the list has in all.', 42, {
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
    `Present if an earlier request with the same Idempotency-Key already did this.${
      isOfRow ? '' : ` \`${EMBEDDED_NOW}\` if what is embedded is shown as it is now.`
    }`,
    'true',
    { enum: isOfRow ? ['true'] : ['true', EMBEDDED_NOW] },
    false,
  );
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

const EXAMPLE_DOCUMENTATION = '/docs';

/** A link's relation, meaning and example. */
type Link = readonly [relation: string, meaning: string, target?: string];

function pageLinks(from: string): Link[] {
  return [
    ['first', 'is the first page', referenceTo(from, { from })],
    ['next', 'is the next page, if there is one', `?after=${EXAMPLE_ID}`],
  ];
}

/**
 * The headers that a route adds to all responses if it is deprecated, or to those of requests that use what is; and the links
 * that other routes have, too.
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
  const errors = isRequired ? ' Errors have it, too.' : '';
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
  const description = `References (RFC 8288). Resolve them against the URL of the request. ${meanings.join('; ')}.`;
  const examples = links.flatMap(([relation, , target]) =>
    target === undefined ? [] : [`<${target}>; rel="${relation}"`],
  );
  return links.length === 0 ? {} : { Link: header(description, examples.join(', '), {}, required) };
}
