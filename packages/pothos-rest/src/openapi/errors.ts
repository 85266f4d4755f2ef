import { ERROR_KINDS, type ErrorCode } from '@gateway/errors/coded-error';
import { notAcceptable } from '@gateway/http-server/http/accept';
import { INVALID_IDEMPOTENCY_KEY } from '@gateway/http-server/http/idempotency-key';
import { BODY_REFUSALS } from '@gateway/http-server/http/json-body';
import { JSON_TYPE } from '@gateway/http-server/http/json-type';
import { inputError, inputFaults } from '@gateway/pothos-plugins/input-faults';
import { removalMessage } from '@gateway/pothos-plugins/lifecycle';
import { inputMembers } from '../members.ts';
import type { PreparedRoute, Rest } from '../rest.ts';

type Messages = Readonly<Record<string, string>>;

/** An error that a route can respond with, and examples of its messages by name. */
export interface PossibleError {
  readonly code: ErrorCode;
  readonly description: string;
  readonly messages: Messages;
}

/** All errors that a route can respond with. */
export function possibleErrors({ messages }: Rest, route: PreparedRoute): PossibleError[] {
  const { deprecation, notFound, idempotency } = route.operation.field.extensions;
  const body = route.variables.body && BODY_REFUSALS;
  const unknownOutcome = idempotency
    ? ' Whether anything was added is unknown: with an Idempotency-Key, send it again.'
    : '';
  const possible: Partial<Record<ErrorCode, string | Messages | undefined>> = {
    ...messages,
    NOT_FOUND: notFound,
    NOT_ACCEPTABLE: notAcceptable([JSON_TYPE]).message,
    GONE: deprecation && removalMessage(deprecation),
    PAYLOAD_TOO_LARGE: body?.PAYLOAD_TOO_LARGE,
    UNSUPPORTED_MEDIA_TYPE: body?.UNSUPPORTED_MEDIA_TYPE,
    IDEMPOTENCY_KEY_REUSED: idempotency ? idempotency.reused : undefined,
    INTERNAL_SERVER_ERROR: ERROR_KINDS.INTERNAL_SERVER_ERROR.constantText,
    SERVICE_UNAVAILABLE: ERROR_KINDS.SERVICE_UNAVAILABLE.constantText,
    OVERLOADED: ERROR_KINDS.OVERLOADED.constantText,
  };
  const errors = DESCRIPTIONS.map(([code, text]): PossibleError => {
    const message = possible[code];
    return {
      code,
      description: code === 'SERVICE_UNAVAILABLE' ? text + unknownOutcome : text,
      messages: typeof message === 'string' ? { [code]: message } : (message ?? {}),
    };
  });
  return [...badUserInput(route), ...errors.filter(({ code }) => possible[code] !== undefined)];
}

const DESCRIPTIONS: readonly (readonly [ErrorCode, string])[] = [
  ['UNAUTHENTICATED', 'Missing or invalid API key.'],
  ['NOT_FOUND', 'The requested resource could not be found.'],
  ['NOT_ACCEPTABLE', 'The client does not accept JSON.'],
  ['GONE', 'The operation has been removed, on the day that was announced.'],
  ['PAYLOAD_TOO_LARGE', 'The body is too large.'],
  ['UNSUPPORTED_MEDIA_TYPE', 'The body is not of a type, charset or compression that is read.'],
  ['IDEMPOTENCY_KEY_REUSED', 'The Idempotency-Key came with another body before.'],
  [
    'TOO_MANY_REQUESTS',
    'Too much was asked for with this key, or with invalid keys from this address.',
  ],
  ['INTERNAL_SERVER_ERROR', 'Something went wrong in the service.'],
  ['SERVICE_UNAVAILABLE', 'The database does not answer.'],
  ['OVERLOADED', 'Too many requests or connections are under way.'],
];

/** Its messages are those of the input rules for a value that none accepts. */
function badUserInput({ variables, operation }: PreparedRoute): PossibleError[] {
  const [, body] = variables.body ?? [];
  const parameters = variables.query.map(([, input]) => input);
  const members = inputMembers(body?.type).map(({ field }) => field);
  const faults = [...parameters, ...members].map(
    (input) => [input.name, inputError(inputFaults(input, Number.NaN)).message] as const,
  );
  const reasons = [
    ...(parameters.length > 0 ? ['A query parameter is invalid, or repeated.'] : []),
    ...(body ? ['The request body is missing required fields or contains invalid values.'] : []),
  ];
  const messages = {
    ...(body && { missing: inputError(inputFaults(body, {})).message }),
    ...Object.fromEntries(faults),
    ...(body && { noJson: BODY_REFUSALS.BAD_USER_INPUT }),
    ...(operation.field.extensions.idempotency && { idempotencyKey: INVALID_IDEMPOTENCY_KEY }),
  };
  return reasons.length === 0
    ? []
    : [{ code: 'BAD_USER_INPUT', description: reasons.join(' '), messages }];
}
