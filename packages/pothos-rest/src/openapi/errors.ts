import { ERROR_KINDS, type ErrorCode } from '@gateway/errors/coded-error';
import { notAcceptable } from '@gateway/http-server/http/accept';
import { INVALID_IDEMPOTENCY_KEY } from '@gateway/http-server/http/idempotency-key';
import { BODY_REFUSALS } from '@gateway/http-server/http/json-body';
import { JSON_TYPE } from '@gateway/http-server/http/json-type';
import { inputFaults } from '@gateway/pothos-plugins/input-faults';
import { removalMessage } from '@gateway/pothos-plugins/lifecycle';
import { inputMembers } from '../members.ts';
import type { PreparedRoute, Rest } from '../rest.ts';

type Messages = Readonly<Record<string, string>>;

/** An error that a route can give: why, and the messages that it then has, by a name for each. */
export interface PossibleError {
  readonly code: ErrorCode;
  readonly description: string;
  readonly messages: Messages;
}

/** Every error that a route can give. Which ones those are follows from what the route is made of. */
export function possibleErrors({ messages }: Rest, route: PreparedRoute): PossibleError[] {
  const { operation, variables } = route;
  const { deprecation, notFound, idempotency } = operation.field.extensions;
  const hasBody = variables.body !== undefined;
  return [
    ...badUserInput(route),
    ...error('UNAUTHENTICATED', 'Missing or invalid API key.', messages.UNAUTHENTICATED),
    ...error('NOT_FOUND', 'The requested resource could not be found.', notFound),
    ...error(
      'NOT_ACCEPTABLE',
      'The client does not accept JSON.',
      notAcceptable([JSON_TYPE]).message,
    ),
    ...error(
      'GONE',
      'The operation has been removed, on the day that was announced.',
      deprecation && removalMessage(deprecation),
    ),
    ...error(
      'PAYLOAD_TOO_LARGE',
      'The body is too large.',
      hasBody ? BODY_REFUSALS.PAYLOAD_TOO_LARGE : undefined,
    ),
    ...error(
      'UNSUPPORTED_MEDIA_TYPE',
      'The body is not of a type, charset or compression that is read.',
      hasBody ? BODY_REFUSALS.UNSUPPORTED_MEDIA_TYPE : undefined,
    ),
    ...error(
      'IDEMPOTENCY_KEY_REUSED',
      'The Idempotency-Key came with another body before.',
      idempotency ? idempotency.reused : undefined,
    ),
    ...error(
      'TOO_MANY_REQUESTS',
      'Too much was asked for with this key, or with invalid keys from this address.',
      messages.TOO_MANY_REQUESTS,
    ),
    ...own('INTERNAL_SERVER_ERROR', 'Something went wrong in the service.'),
    ...own(
      'SERVICE_UNAVAILABLE',
      idempotency
        ? 'The database does not answer. Whether anything was added is unknown: with an Idempotency-Key, send it again.'
        : 'The database does not answer.',
    ),
    ...own('OVERLOADED', 'Too many requests or connections are under way.'),
  ];
}

/** @param told its message or messages, if it is possible */
function error(
  code: ErrorCode,
  description: string,
  told: string | Messages | undefined,
): PossibleError[] {
  const messages = typeof told === 'string' ? { [code]: told } : told;
  return messages === undefined ? [] : [{ code, description, messages }];
}

/** An error that has but one text, whatever happened. */
function own(
  code: 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE' | 'OVERLOADED',
  description: string,
): PossibleError[] {
  return error(code, description, ERROR_KINDS[code].constantText);
}

/** Its messages are what the rules say of a value that nothing takes. */
function badUserInput({ variables, operation }: PreparedRoute): PossibleError[] {
  const [, body] = variables.body ?? [];
  const parameters = variables.query.map(([, input]) => input);
  const members = inputMembers(body?.type).map(({ field }) => field);
  const faults = [...parameters, ...members].map(
    (input) => [input.name, inputFaults(input, Number.NaN).join()] as const,
  );
  const reasons = [
    ...(parameters.length > 0 ? ['A query parameter is invalid, or repeated.'] : []),
    ...(body ? ['The request body is missing required fields or contains invalid values.'] : []),
  ];
  const messages = {
    ...(body && { missing: inputFaults(body, {}).join('; ') }),
    ...Object.fromEntries(faults),
    ...(body && { noJson: BODY_REFUSALS.BAD_USER_INPUT }),
    ...(operation.field.extensions.idempotency && { idempotencyKey: INVALID_IDEMPOTENCY_KEY }),
  };
  return reasons.length === 0
    ? []
    : [{ code: 'BAD_USER_INPUT', description: reasons.join(' '), messages }];
}
