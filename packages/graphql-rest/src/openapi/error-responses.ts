import { STATUS_CODES } from 'node:http';
import { errorStatus } from '@gateway/errors/coded-error';
import type { JsonObject } from '@gateway/exact-json/json';
import { referTo, type Components } from './components.ts';
import { restErrorCodes, type RouteError } from './errors.ts';
import { headersOfErrors } from './headers.ts';

/** References by status to what is named after it, with a prefix. */
export function errorResponses(
  errors: readonly RouteError[],
  prefix: string,
  components: Components,
): JsonObject {
  const possible = errors.filter(([, , messages]) => messages !== undefined);
  return Object.fromEntries(
    Array.from(
      Map.groupBy(possible, ([code]) => errorStatus(code)),
      ([status, ofStatus]) => [
        status,
        referTo(
          components,
          'responses',
          prefix + (STATUS_CODES[status] ?? '').replaceAll(' ', ''),
          errorResponse(ofStatus, components),
        ),
      ],
    ),
  );
}

/** @param errors all of one status */
function errorResponse(errors: readonly RouteError[], components: Components): JsonObject {
  const examples = errors.flatMap(([code, , messages = {}]) => {
    const named = typeof messages === 'string' ? { [code]: messages } : messages;
    const status = errorStatus(code);
    return Object.entries(named).map(
      ([name, message]) => [name, { value: { code, message, status } }] as const,
    );
  });
  return {
    description: errors.map(([, description]) => description).join(' Or: '),
    headers: headersOfErrors(
      errors.map(([code]) => code),
      components,
    ),
    content: {
      'application/json': {
        schema: errorSchema(components),
        examples: Object.fromEntries(examples),
      },
    },
  };
}

function errorSchema(components: Components): JsonObject {
  const code = referTo(components, 'schemas', 'ErrorCode', {
    type: 'string',
    description: 'Machine-readable error code.',
    enum: restErrorCodes(),
  });
  return referTo(components, 'schemas', 'Error', {
    type: 'object',
    description: 'Why a request was refused, or failed.',
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
