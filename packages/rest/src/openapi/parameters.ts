import { getNullableType, isListType } from 'graphql';
import type { JsonObject } from '@store-gateway/ops';
import { STRICT } from '@store-gateway/http';
import type { Operation } from '../operation.ts';
import { inRestNames } from '../rest-names.ts';
import { isCreation, type PreparedRoute } from '../rest.ts';
import { isRequired, type Variable } from '../variables.ts';
import { EXAMPLE_ETAG, exampleOf } from './examples.ts';
import type { Components } from './components.ts';
import { described, memberSchema, presetOf } from './schemas.ts';
import { nounOf } from './tag.ts';

// Parameters have examples only in their schemas: try-it-out forms prefill a parameter's own example, and `after` would then
// skip the first rows.
const IF_NONE_MATCH: JsonObject = {
  name: 'If-None-Match',
  in: 'header',
  description:
    'Entity tags of responses that the client already has, or `*`. If the current one is among them, the response is 304 (RFC 9110, 13.1.2).',
  schema: { type: 'string', examples: [EXAMPLE_ETAG] },
};

const PREFER: JsonObject = {
  name: 'Prefer',
  in: 'header',
  description: `\`${STRICT}\` rejects unknown parameters.`,
  schema: { type: 'string', examples: [STRICT] },
};

/** The Parameter Objects of a route. */
export function parametersOf(route: PreparedRoute, components: Components): JsonObject[] {
  const { method, operation, variables } = route;
  return [
    ...variables.path.map((variable) => parameter(variable, 'path', operation, components)),
    ...variables.query.map((variable) => parameter(variable, 'query', operation, components)),
    ...(method === 'get' ? [IF_NONE_MATCH] : []),
    ...(variables.precondition ? [ifMatch(variables.precondition)] : []),
    ...(operation.field.extensions.idempotency ? [idempotencyKey(route)] : []),
    PREFER,
  ];
}

function ifMatch(precondition: Variable): JsonObject {
  const isNeeded = isRequired(precondition);
  const otherwise = isNeeded ? 'Without this header, the response is 428.' : '`*` matches any.';
  return {
    name: 'If-Match',
    in: 'header',
    description: `The expected \`ETag\`; a mismatch returns 412 (RFC 9110, 13.1.1). ${otherwise}`,
    ...(isNeeded && { required: true }),
    schema: { type: 'string', examples: [EXAMPLE_ETAG] },
  };
}

function idempotencyKey(route: PreparedRoute): JsonObject {
  const effect = isCreation(route) ? `add the ${nounOf(route.operation)} once` : 'take effect once';
  return {
    name: 'Idempotency-Key',
    in: 'header',
    description: `Makes retries safe: within a day, requests with this key and body ${effect}, and get the same response. Use a UUID, with or without double quotes.`,
    schema: { type: 'string', minLength: 1, maxLength: 257, pattern: '^[ -~]+$' },
  };
}

function parameter(
  variable: Variable,
  place: 'path' | 'query',
  { type }: Operation,
  components: Components,
): JsonObject {
  const [name, field] = variable;
  return {
    name,
    in: place,
    ...described({ ...field, description: inRestNames(field.description ?? '', field) }),
    // One comma-separated value, which every client can write.
    ...(isListType(getNullableType(field.type)) && { style: 'form', explode: false }),
    required: place === 'path' || isRequired(variable),
    schema: {
      ...memberSchema({ field, members: [] }, components),
      ...presetOf(field),
      examples: [exampleOf(field, type)],
    },
  };
}
