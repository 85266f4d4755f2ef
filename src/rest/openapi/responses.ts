import { ERROR_KINDS } from '../../errors.ts';
import type { JsonObject } from '../../json.ts';
import type { Route } from '../routes.ts';
import { possibleErrors, type PossibleError } from './errors.ts';
import { headersOfError, headersOfSuccess } from './headers.ts';
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
      possibleErrors(route).map((error) => [
        ERROR_KINDS[error.code].status,
        errorResponse(error, route, schemas),
      ]),
    ),
  };
}

function errorResponse(
  { code, description, messages }: PossibleError,
  route: Route,
  schemas: Schemas,
): JsonObject {
  const { status } = ERROR_KINDS[code];
  return {
    description,
    headers: headersOfError(route, code),
    content: {
      'application/json': {
        schema: errorSchema(schemas),
        examples: Object.fromEntries(
          Object.entries(messages).map(([name, message]) => [
            name,
            { value: { code, message, status } },
          ]),
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
