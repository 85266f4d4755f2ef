import { ERROR_KINDS } from '@gateway/errors/coded-error';
import type { JsonObject } from '@gateway/exact-json/json';
import type { Route } from '../../../../src/rest/routes.ts';
import { possibleErrors, type PossibleError } from './errors.ts';
import { headersOfErrors, headersOfSuccess } from './headers.ts';
import { resourceExample, resourceSchema } from './output-schemas.ts';
import { addSchema, type Schemas } from './schemas.ts';

/** Everything that a route can answer, by status. */
export function responsesOf(route: Route, schemas: Schemas): JsonObject {
  const { method, operation, status } = route;
  return {
    [status]: {
      description: status === 201 ? 'It was added.' : 'Success.',
      headers: headersOfSuccess(route, status),
      content: {
        'application/json': {
          schema: resourceSchema(operation, schemas),
          example: resourceExample(operation),
        },
      },
    },
    ...(method === 'get' && {
      304: {
        description: 'The client has it already, by the entity tags that it sent.',
        headers: headersOfSuccess(route, 304),
      },
    }),
    ...Object.fromEntries(
      Array.from(
        Map.groupBy(possibleErrors(route), ({ code }) => ERROR_KINDS[code].status),
        ([errorStatus, errors]) => [errorStatus, errorResponse(errors, route, schemas)],
      ),
    ),
  };
}

/** @param errors all of one status */
function errorResponse(
  errors: readonly PossibleError[],
  route: Route,
  schemas: Schemas,
): JsonObject {
  return {
    description: errors.map(({ description }) => description).join(' Or: '),
    headers: headersOfErrors(
      route,
      errors.map(({ code }) => code),
    ),
    content: {
      'application/json': {
        schema: errorSchema(schemas),
        examples: Object.fromEntries(
          errors.flatMap(({ code, messages }) =>
            Object.entries(messages).map(([name, message]) => [
              name,
              { value: { code, message, status: ERROR_KINDS[code].status } },
            ]),
          ),
        ),
      },
    },
  };
}

function errorSchema(schemas: Schemas): JsonObject {
  return addSchema(schemas, 'Error', {
    type: 'object',
    description: 'Why a request was refused, or failed.',
    required: ['code', 'message', 'status'],
    properties: {
      code: {
        type: 'string',
        description: 'Machine-readable error code.',
        enum: Object.keys(ERROR_KINDS),
      },
      message: { type: 'string', description: 'Human-readable description.' },
      status: { type: 'integer', description: 'The HTTP status code.' },
    },
  });
}
