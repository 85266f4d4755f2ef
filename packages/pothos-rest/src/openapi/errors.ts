import { REFUSALS } from '../../../../src/auth/authenticate.ts';
import { ERROR_KINDS, type ErrorCode } from '@gateway/errors/coded-error';
import { notAcceptable } from '@gateway/http-server/http/accept';
import { INVALID_IDEMPOTENCY_KEY } from '@gateway/http-server/http/idempotency-key';
import { BODY_REFUSALS } from '@gateway/http-server/http/json-body';
import { LIMIT_REFUSALS } from '@gateway/rate-limits/refusal';
import { inputFaults } from '@gateway/pothos-plugins/input-faults';
import { removalMessage } from '@gateway/pothos-plugins/lifecycle';
import { JSON_TYPE } from '@gateway/http-server/http/json-type';
import type { Route } from '../../../../src/rest/routes.ts';
import { inputObject } from './input-schemas.ts';
import { inputOf, isNameable } from './parameters.ts';

/** An error that a route can give: why, and the messages that it then has, by a name for each. */
export interface PossibleError {
  readonly code: ErrorCode;
  readonly description: string;
  readonly messages: Readonly<Record<string, string>>;
}

/** Every error that a route can give. Which ones those are follows from what the route is made of. */
export function possibleErrors(route: Route): PossibleError[] {
  const { body, queryParameters, operation } = route;
  const { deprecation, notFound, idempotency } = operation.field.extensions;
  return [
    ...(body || queryParameters ? [badUserInput(route)] : []),
    { code: 'UNAUTHENTICATED', description: 'Missing or invalid API key.', messages: REFUSALS },
    ...(notFound === undefined
      ? []
      : [one('NOT_FOUND', 'The requested resource could not be found.', notFound)]),
    one('NOT_ACCEPTABLE', 'The client does not accept JSON.', notAcceptable([JSON_TYPE]).message),
    ...(deprecation
      ? [
          one(
            'GONE',
            'The operation has been removed, on the day that was announced.',
            removalMessage(deprecation),
          ),
        ]
      : []),
    ...(body
      ? [
          one('PAYLOAD_TOO_LARGE', 'The body is too large.', BODY_REFUSALS.PAYLOAD_TOO_LARGE),
          one(
            'UNSUPPORTED_MEDIA_TYPE',
            'The body is not of a type, charset or compression that is read.',
            BODY_REFUSALS.UNSUPPORTED_MEDIA_TYPE,
          ),
        ]
      : []),
    ...(idempotency
      ? [
          one(
            'IDEMPOTENCY_KEY_REUSED',
            'The Idempotency-Key came with another body before.',
            idempotency.reused,
          ),
        ]
      : []),
    {
      code: 'TOO_MANY_REQUESTS',
      description: 'Too much was asked for with this key, or with invalid keys from this address.',
      messages: LIMIT_REFUSALS,
    },
    ofOurs('INTERNAL_SERVER_ERROR', 'Something went wrong in the service.'),
    ofOurs(
      'SERVICE_UNAVAILABLE',
      isNameable(operation)
        ? 'The database does not answer. Whether anything was added is unknown: with an Idempotency-Key, send it again.'
        : 'The database does not answer.',
    ),
    ofOurs('OVERLOADED', 'Too many requests or connections are under way.'),
  ];
}

/** Its messages are what the rules say of a value that nothing takes. */
function badUserInput({ operation, queryParameters = {}, body }: Route): PossibleError {
  const parameters = Object.keys(queryParameters).map((name) => inputOf(operation, name));
  const bodyInput = body && inputOf(operation, body.variable);
  const members = bodyInput ? Object.values(inputObject(bodyInput).getFields()) : [];
  const faults = [...parameters, ...members].map(
    (input) => [input.name, inputFaults(input, Number.NaN).join()] as const,
  );
  return {
    code: 'BAD_USER_INPUT',
    description: [
      ...(parameters.length > 0 ? ['A query parameter is invalid, or repeated.'] : []),
      ...(body ? ['The request body is missing required fields or contains invalid values.'] : []),
    ].join(' '),
    messages: {
      ...(bodyInput && { missing: inputFaults(bodyInput, {}).join('; ') }),
      ...Object.fromEntries(faults),
      ...(body && { noJson: BODY_REFUSALS.BAD_USER_INPUT }),
      ...(isNameable(operation) && { idempotencyKey: INVALID_IDEMPOTENCY_KEY }),
    },
  };
}

function one(code: ErrorCode, description: string, message: string): PossibleError {
  return { code, description, messages: { [code]: message } };
}

/** An error that has but one text, whatever happened. */
function ofOurs(
  code: 'INTERNAL_SERVER_ERROR' | 'SERVICE_UNAVAILABLE' | 'OVERLOADED',
  description: string,
): PossibleError {
  return one(code, description, ERROR_KINDS[code].constantText);
}
