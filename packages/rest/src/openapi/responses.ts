import { STATUS_CODES } from 'node:http';
import { isObjectType } from 'graphql';
import { errorStatus } from '@store-gateway/ops/errors';
import type { JsonObject } from '@store-gateway/ops';
import { inputMembers } from '../members.ts';
import type { PreparedRoute, Rest } from '../rest.ts';
import { referTo, type Components } from './components.ts';
import { ownErrors, restErrorMeanings, sharedErrors, type RouteError } from './errors.ts';
import { memberExample, referencesOf } from './examples.ts';
import { headersOfErrors, headersOfSuccess } from './headers.ts';
import { representationSchema } from './schemas.ts';

const SUCCESSES: Readonly<Record<PreparedRoute['status'], string>> = {
  200: 'Success.',
  201: 'Created.',
  202: 'Accepted.',
  204: 'Success, without content.',
};

/** The Response Objects of a route, by status. */
export function responsesOf(rest: Rest, route: PreparedRoute, components: Components): JsonObject {
  const { method, status, operation } = route;
  const headers = headersOfSuccess(rest, route, components);
  return {
    [status]: {
      description: SUCCESSES[status],
      headers,
      ...(status !== 204 && {
        content: {
          'application/json': {
            schema: representationSchema(route, components),
            example: memberExample(operation.resource, operation.type),
          },
        },
      }),
      ...linksOf(rest, route),
    },
    ...(route.unread && {
      204: {
        description: 'The change was made. A caller without the scope `read` gets no content.',
        headers: headersOfSuccess(rest, { ...route, status: 204 }, components),
      },
    }),
    ...(method === 'get' && {
      304: {
        description: 'The client already has the current response, as its entity tags show.',
        headers,
      },
    }),
    ...errorResponses(ownErrors(route), rest, components, route),
    ...errorResponses(sharedErrors(rest, route), rest, components),
  };
}

/** The Link Objects of a route that creates a row: they lead to the requests that take the row's id in their bodies. */
function linksOf(rest: Rest, { status, operation: { type } }: PreparedRoute): JsonObject {
  const model = isObjectType(type) ? type.extensions.pothosPrismaModel : undefined;
  if (status !== 201 || model === undefined) {
    return {};
  }
  const links = rest.routes.flatMap(({ operation, variables }) => {
    const references = referencesOf(operation.type);
    const members = inputMembers(variables.body?.[1].type)
      .map(({ key }) => key)
      .filter((key) => references[key] === model);
    const requestBody = Object.fromEntries(members.map((key) => [key, '$response.body#/id']));
    const link = { operationId: operation.name, requestBody };
    return members.length === 0 ? [] : [[operation.name, link] as const];
  });
  return links.length === 0 ? {} : { links: Object.fromEntries(links) };
}

/**
 * Returns references to responses, by status. The components are named after the status and, for a route's own errors, after
 * the route.
 */
function errorResponses(
  errors: readonly RouteError[],
  rest: Rest,
  components: Components,
  route?: PreparedRoute,
): JsonObject {
  const prefix = route === undefined ? '' : `${route.operation.name}-`;
  const possible = errors.filter(([, , messages]) => messages !== undefined);
  const byStatus = Map.groupBy(possible, ([code]) => errorStatus(code));
  return Object.fromEntries(
    Array.from(byStatus, ([status, ofStatus]) => {
      const name = prefix + (STATUS_CODES[status] ?? '').replaceAll(' ', '');
      return [
        status,
        referTo(components, 'responses', name, errorResponse(ofStatus, rest, components, route)),
      ];
    }),
  );
}

/** @param errors that share a status */
function errorResponse(
  errors: readonly RouteError[],
  rest: Rest,
  components: Components,
  route: PreparedRoute | undefined,
): JsonObject {
  const codes = errors.map(([code]) => code);
  const examples = errors.flatMap(([code, , messages = {}]) => {
    const named = typeof messages === 'string' ? { [code]: messages } : messages;
    const status = errorStatus(code);
    return Object.entries(named).map(
      ([name, message]) => [name, { value: { code, message, status } }] as const,
    );
  });
  return {
    description: errors.map(([, description]) => description).join(' Or: '),
    headers: headersOfErrors(codes, components, route),
    content: {
      'application/json': {
        schema: errorSchema(rest, components),
        examples: Object.fromEntries(examples),
      },
    },
  };
}

function errorSchema(rest: Rest, components: Components): JsonObject {
  const meanings = restErrorMeanings(rest);
  const code = referTo(components, 'schemas', 'ErrorCode', {
    type: 'string',
    description:
      'Machine-readable error code. Later versions may add codes: handle an unknown code by its status.',
    // Any string is allowed, because clients generated from a closed enumeration fail when a code is added.
    anyOf: [{ type: 'string', enum: [...meanings.keys()] }, { type: 'string' }],
    // An extension by Redocly.
    'x-enumDescriptions': Object.fromEntries(meanings),
  });
  return referTo(components, 'schemas', 'Error', {
    type: 'object',
    description: 'Why a request was rejected or failed.',
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
