import { ERROR_KINDS } from '@gateway/errors/coded-error';
import type { JsonObject } from '@gateway/exact-json/json';
import type { PreparedRoute, Rest } from '../rest.ts';
import { possibleErrors, type PossibleError } from './errors.ts';
import { memberExample } from './examples.ts';
import { headersOfErrors, headersOfSuccess } from './headers.ts';
import { addSchema, memberSchema, type Schemas } from './schemas.ts';

/** The Response Objects of a route, by status. */
export function responsesOf(rest: Rest, route: PreparedRoute, schemas: Schemas): JsonObject {
  const { method, status, operation } = route;
  const errors = Map.groupBy(possibleErrors(rest, route), ({ code }) => ERROR_KINDS[code].status);
  return {
    [status]: {
      description: status === 201 ? 'It was added.' : 'Success.',
      headers: headersOfSuccess(rest, route, status),
      content: {
        'application/json': {
          schema: memberSchema(operation.resource, schemas),
          example: memberExample(operation.resource, operation.type),
        },
      },
    },
    ...(method === 'get' && {
      304: {
        description: 'The client has it already, by the entity tags that it sent.',
        headers: headersOfSuccess(rest, route, 304),
      },
    }),
    ...Object.fromEntries(
      Array.from(errors, ([errorStatus, ofStatus]) => [
        errorStatus,
        errorResponse(ofStatus, rest, route, schemas),
      ]),
    ),
  };
}

/** @param errors all of one status */
function errorResponse(
  errors: readonly PossibleError[],
  rest: Rest,
  route: PreparedRoute,
  schemas: Schemas,
): JsonObject {
  const examples = errors.flatMap(({ code, messages }) =>
    Object.entries(messages).map(([name, message]): [string, JsonObject] => [
      name,
      { value: { code, message, status: ERROR_KINDS[code].status } },
    ]),
  );
  const codes = errors.map(({ code }) => code);
  return {
    description: errors.map(({ description }) => description).join(' Or: '),
    headers: headersOfErrors(rest, route, codes),
    content: {
      'application/json': {
        schema: addSchema(schemas, 'Error', ERROR_SCHEMA),
        examples: Object.fromEntries(examples),
      },
    },
  };
}

const ERROR_SCHEMA = {
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
};
