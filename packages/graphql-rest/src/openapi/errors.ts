import { ERROR_KINDS, type ErrorCode } from '@gateway/errors/coded-error';
import { notAcceptable } from '@gateway/http-server/http/accept';
import { INVALID_IDEMPOTENCY_KEY } from '@gateway/http-server/http/idempotency-key';
import { BODY_REFUSALS } from '@gateway/http-server/http/json-body';
import { JSON_TYPE } from '@gateway/http-server/http/send';
import { inputError, inputFaults } from '@gateway/pothos-plugins/input-faults';
import { removalMessage } from '@gateway/pothos-plugins/lifecycle';
import { takenMessage } from '@gateway/pothos-plugins/violation-error';
import { isObjectType } from 'graphql';
import { inputMembers } from '../members.ts';
import type { PreparedRoute, Rest } from '../rest.ts';

/** An error, what it means, and its message or examples of its messages by name; without any, the route doesn't have it. */
export type RouteError = readonly [
  code: string,
  description: string,
  messages: string | Readonly<Record<string, string>> | undefined,
];

/** The codes of REST's errors, with the store's own that its routes may have: documents are GraphQL's. */
export function restErrorCodes({ routes }: Rest): string[] {
  const own = routes.flatMap(({ operation }) => operation.field.extensions.throws ?? []);
  const codes = new Set([...Object.keys(ERROR_KINDS), ...own.map(({ code }) => code)]);
  codes.delete('DOCUMENT_NOT_TRUSTED' satisfies ErrorCode);
  return [...codes];
}

/** Errors that are the same on every route that has them. */
export function sharedErrors({ messages }: Rest, { variables }: PreparedRoute): RouteError[] {
  const body = variables.body && BODY_REFUSALS;
  const { INTERNAL_SERVER_ERROR, SERVICE_UNAVAILABLE, OVERLOADED } = ERROR_KINDS;
  return [
    ['UNAUTHENTICATED', 'Missing or invalid API key.', messages.UNAUTHENTICATED],
    ['NOT_ACCEPTABLE', 'The client does not accept JSON.', notAcceptable([JSON_TYPE]).message],
    ['PAYLOAD_TOO_LARGE', 'The body is too large.', body?.PAYLOAD_TOO_LARGE],
    [
      'UNSUPPORTED_MEDIA_TYPE',
      'Unsupported media type, charset or encoding.',
      body?.UNSUPPORTED_MEDIA_TYPE,
    ],
    [
      'TOO_MANY_REQUESTS',
      'Too many requests with this key, or with invalid keys from this address.',
      messages.TOO_MANY_REQUESTS,
    ],
    [
      'INTERNAL_SERVER_ERROR',
      'Unexpected error in the service.',
      INTERNAL_SERVER_ERROR.constantText,
    ],
    [
      'SERVICE_UNAVAILABLE',
      'The database is unavailable. Whether a POST took effect is unknown: if it had an Idempotency-Key, send it again.',
      SERVICE_UNAVAILABLE.constantText,
    ],
    ['OVERLOADED', 'Too many concurrent requests or connections.', OVERLOADED.constantText],
  ];
}

/** Errors whose messages or meaning follow from the route. */
export function ownErrors(route: PreparedRoute): RouteError[] {
  const { deprecation, notFound, idempotency, throws = [] } = route.operation.field.extensions;
  return [
    badUserInput(route),
    ['CONFLICT', 'This value is already taken.', conflicts(route)],
    ['NOT_FOUND', 'The requested resource could not be found.', notFound],
    [
      'GONE',
      'The operation was removed on the announced day.',
      deprecation && removalMessage(deprecation),
    ],
    [
      'IDEMPOTENCY_KEY_REUSED',
      'The Idempotency-Key was already used with another body.',
      idempotency ? idempotency.reused : undefined,
    ],
    ...throws.map(({ code, description, example }): RouteError => [code, description, example]),
  ];
}

/** By member of the body that is unique. */
function conflicts({ variables, operation: { type } }: PreparedRoute) {
  const unique = new Set(isObjectType(type) ? type.extensions.unique : []);
  const names = inputMembers(variables.body?.[1].type)
    .map(({ key }) => key)
    .filter((key) => unique.has(key));
  return names.length === 0
    ? undefined
    : Object.fromEntries(names.map((name) => [name, takenMessage(name)]));
}

/** Its messages are those of the input rules for a value that none accepts. */
function badUserInput({ variables, operation }: PreparedRoute): RouteError {
  const [, body] = variables.body ?? [];
  const parameters = variables.query.map(([, input]) => input);
  const members = inputMembers(body?.type).map(({ field }) => field);
  const faults = [...parameters, ...members].map(
    (input) => [input.name, inputError(inputFaults(input, Number.NaN)).message] as const,
  );
  const reasons = [
    ...(parameters.length > 0 ? ['A query parameter is invalid or repeated.'] : []),
    ...(body ? ['The request body is missing required fields or contains invalid values.'] : []),
  ];
  const messages = {
    ...(body && { missing: inputError(inputFaults(body, {})).message }),
    ...Object.fromEntries(faults),
    ...(body && { noJson: BODY_REFUSALS.BAD_USER_INPUT }),
    ...(operation.field.extensions.idempotency && { idempotencyKey: INVALID_IDEMPOTENCY_KEY }),
  };
  return ['BAD_USER_INPUT', reasons.join(' '), reasons.length === 0 ? undefined : messages];
}
