import { ERROR_KINDS, TOO_SLOW, type ErrorCode, missingScopes } from '@store-gateway/ops/errors';
import {
  notAcceptable,
  INVALID_IDEMPOTENCY_KEY,
  BODY_MESSAGES,
  bodyFormatOf,
  TOO_LARGE_BODY,
  INVALID_IF_MATCH,
  JSON_TYPE,
} from '@store-gateway/http';
import {
  removalMessage,
  inputError,
  inputFaults,
  type InputFault,
  PRECONDITION_FAILED,
  PRECONDITION_REQUIRED,
  STILL_REFERENCED,
  uniqueMessage,
} from '@store-gateway/graphql';
import { getNullableType, isListType, isObjectType } from 'graphql';
import type { PreparedRoute, Rest } from '../rest.ts';
import { errorInRestNames, inputMembers, isRequired } from '../members.ts';
import { pathNotFound } from '../errors.ts';
import { NO_TAG_OF_ROW } from '../requests.ts';

/**
 * An error code, its meaning, and its message or named example messages. If there are no messages, the route never returns the
 * error.
 */
type RouteError = readonly [
  code: string,
  description: string,
  messages: string | Readonly<Record<string, string>> | undefined,
];

/**
 * Returns the meanings of REST's error codes, including the store's own codes that the routes may return. DOCUMENT_NOT_TRUSTED
 * exists only in GraphQL.
 */
export function restErrorMeanings({ routes }: Rest): ReadonlyMap<string, string> {
  const own = routes.flatMap(({ operation }) => operation.field.extensions.throws ?? []);
  const meanings = new Map([
    ...Object.entries(ERROR_KINDS).map(([code, { meaning }]) => [code, meaning] as const),
    ...own.map(({ code, description }) => [code, description] as const),
  ]);
  meanings.delete('DOCUMENT_NOT_TRUSTED' satisfies ErrorCode);
  const preconditions = routes.map(({ variables }) => variables.precondition);
  if (preconditions.every((precondition) => precondition === undefined)) {
    meanings.delete('PRECONDITION_FAILED' satisfies ErrorCode);
  }
  if (!preconditions.some(isRequired)) {
    meanings.delete('PRECONDITION_REQUIRED' satisfies ErrorCode);
  }
  return meanings;
}

/** Returns the errors that are the same on every route that returns them. */
export function sharedErrors({ messages = {} }: Rest, route: PreparedRoute): RouteError[] {
  const { status, variables } = route;
  const { INTERNAL_SERVER_ERROR, SERVICE_UNAVAILABLE, OVERLOADED } = ERROR_KINDS;
  return [
    errorOf('UNAUTHENTICATED', messages.UNAUTHENTICATED),
    errorOf('NOT_ACCEPTABLE', status === 204 ? undefined : notAcceptable([JSON_TYPE]).message),
    errorOf('PAYLOAD_TOO_LARGE', variables.body && TOO_LARGE_BODY),
    errorOf(
      'UNSUPPORTED_MEDIA_TYPE',
      isPatch(route) || !variables.body ? undefined : rejectedFormats(route),
    ),
    errorOf('TOO_MANY_REQUESTS', messages.TOO_MANY_REQUESTS),
    errorOf('INTERNAL_SERVER_ERROR', INTERNAL_SERVER_ERROR.constantText),
    errorOf('SERVICE_UNAVAILABLE', {
      unreachable: SERVICE_UNAVAILABLE.constantText,
      slow: TOO_SLOW,
    }),
    errorOf('OVERLOADED', OVERLOADED.constantText),
  ];
}

/** Returns example messages for a body with an unsupported type, and for a body with an unsupported encoding. */
function rejectedFormats(route: PreparedRoute): RouteError[2] {
  const format = bodyFormatOf(route);
  return {
    UNSUPPORTED_MEDIA_TYPE: BODY_MESSAGES.unsupported(format, 'Content-Type', 'text/plain'),
    otherEncoding: BODY_MESSAGES.unsupported(format, 'Content-Encoding', 'compress'),
  };
}

function errorOf(code: ErrorCode, messages: RouteError[2]): RouteError {
  return [code, ERROR_KINDS[code].meaning, messages];
}

/** Returns the errors whose messages or meaning depend on the route. */
export function customErrors(route: PreparedRoute): RouteError[] {
  const { idempotency, throws = [] } = route.operation.field.extensions;
  const { precondition } = route.variables;
  const notFound = route.operation.notFound ?? pathNotFound(route.variables);
  return [
    badUserInput(route),
    errorOf('FORBIDDEN', missingScopes(route.unread?.scopes ?? route.scopes).message),
    route.method === 'delete'
      ? ['CONFLICT', 'Other records still refer to this one.', referencedBy(route)]
      : ['CONFLICT', 'This value is already taken.', conflicts(route)],
    errorOf('NOT_FOUND', notFound),
    gone(route),
    errorOf(
      'PRECONDITION_FAILED',
      precondition && { PRECONDITION_FAILED, otherTag: NO_TAG_OF_ROW },
    ),
    errorOf('UNSUPPORTED_MEDIA_TYPE', isPatch(route) ? rejectedFormats(route) : undefined),
    errorOf('IDEMPOTENCY_KEY_REUSED', idempotency ? idempotency.reused : undefined),
    errorOf('PRECONDITION_REQUIRED', isRequired(precondition) ? PRECONDITION_REQUIRED : undefined),
    ...throws.map(({ code, description, example }): RouteError => [code, description, example]),
  ];
}

/**
 * Returns the error GONE, with messages for the removal of the route, for the removal of inputs, and for a retried write whose
 * response needs a different row that no longer exists.
 */
function gone({ deprecations: { end, inputs }, operation }: PreparedRoute): RouteError {
  const showsOthers = operation.resource.members.some(
    ({ field: { type }, members }) => members.length > 0 && !isListType(getNullableType(type)),
  );
  const { idempotency } = operation.field.extensions;
  const messages = {
    ...(end && { GONE: removalMessage(end) }),
    ...Object.fromEntries(inputs.map((input) => [input.name, removalMessage(input)])),
    ...(idempotency && showsOthers && { removedSince: idempotency.gone }),
  };
  const [message, ...others] = Object.values(messages);
  return inputs.length === 0 && others.length === 0
    ? errorOf('GONE', message)
    : ['GONE', 'The request uses something that was removed; see the message.', messages];
}

/** Whether a route is a PATCH, which accepts its own media types. */
function isPatch({ method }: PreparedRoute): boolean {
  return method === 'patch';
}

/** Returns the message for a row that other rows refer to; undefined if no other model refers to the row's model. */
function referencedBy({ operation: { type } }: PreparedRoute): string | undefined {
  return isObjectType(type) && type.extensions.isReferenced === true ? STILL_REFERENCED : undefined;
}

/** Returns an example message for each unique member of the body. */
function conflicts({ variables, operation: { type } }: PreparedRoute) {
  const unique = new Set(isObjectType(type) ? type.extensions.unique : []);
  const names = inputMembers(variables.body?.[1].type)
    .map(({ key }) => key)
    .filter((key) => unique.has(key));
  return names.length === 0
    ? undefined
    : Object.fromEntries(names.map((name) => [name, uniqueMessage(name)]));
}

/** Returns the error BAD_USER_INPUT, with each input's message for a value that its rule rejects. */
function badUserInput(route: PreparedRoute): RouteError {
  const { variables, operation } = route;
  const [, body] = variables.body ?? [];
  const format = bodyFormatOf(route);
  const parameters = variables.query.map(([name, input]) => ({ name, input, path: input.path }));
  const members = inputMembers(body?.type).map(({ field }) => ({
    name: field.name,
    input: field,
    path: [body?.name ?? '', field.name],
  }));
  const messageOf = (faults: readonly InputFault[]): string =>
    errorInRestNames(inputError(faults), operation.inputs).message;
  const faults = [...parameters, ...members].map(
    ({ name, input, path }) => [name, messageOf(inputFaults(input, Number.NaN, path))] as const,
  );
  // Routes with a body or query parameters don't mention their headers.
  const ofHeaders =
    faults.length === 0 && (variables.precondition || operation.field.extensions.idempotency);
  const reasons = [
    ...(parameters.length > 0 ? ['A query parameter is invalid or repeated.'] : []),
    ...(body ? ['The request body is missing required fields or contains invalid values.'] : []),
    ...(ofHeaders ? ['A header is invalid.'] : []),
  ];
  const messages = {
    ...(body && {
      missing: format.isRequired ? BODY_MESSAGES.missing : messageOf(inputFaults(body, {})),
    }),
    ...Object.fromEntries(faults),
    ...(body && { noJson: BODY_MESSAGES.notJsonAt({ line: 1, column: 2 }) }),
    ...(operation.field.extensions.idempotency && { idempotencyKey: INVALID_IDEMPOTENCY_KEY }),
    ...(variables.precondition && { ifMatch: INVALID_IF_MATCH }),
  };
  return ['BAD_USER_INPUT', reasons.join(' '), reasons.length === 0 ? undefined : messages];
}
