import type { JsonObject } from '@gateway/exact-json/json';
import type { PreparedRoute, Rest } from '../rest.ts';
import type { Components } from './components.ts';
import { errorResponses } from './error-responses.ts';
import { ownErrors, sharedErrors } from './errors.ts';
import { memberExample } from './examples.ts';
import { headersOfSuccess } from './headers.ts';
import { linksOf } from './references.ts';
import { representationSchema } from './schemas.ts';

/** The Response Objects of a route, by status. */
export function responsesOf(rest: Rest, route: PreparedRoute, components: Components): JsonObject {
  const { method, status, operation } = route;
  const headers = headersOfSuccess(rest, route, components);
  return {
    [status]: {
      description: status === 201 ? 'It was added.' : 'Success.',
      headers,
      content: {
        'application/json': {
          schema: representationSchema(route, components),
          example: memberExample(operation.resource, operation.type),
        },
      },
      ...linksOf(rest, route),
    },
    ...(method === 'get' && {
      304: {
        description: 'The client has it already, by the entity tags that it sent.',
        headers,
      },
    }),
    ...errorResponses(ownErrors(route), `${operation.name}-`, components),
    ...errorResponses(sharedErrors(rest, route), '', components),
  };
}
