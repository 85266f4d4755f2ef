import type { JsonObject } from '@gateway/exact-json/json';
import { deprecationReason, inFull, type Deprecation } from '@gateway/pothos-plugins/lifecycle';
import { successorOf } from '../deprecation.ts';
import type { Route } from '../../../../src/rest/routes.ts';
import { exampleObject } from './examples.ts';
import { bodySchema } from './input-schemas.ts';
import { inputOf, parametersOf } from './parameters.ts';
import { responsesOf } from './responses.ts';
import type { Schemas } from './schemas.ts';

/** The tag of every operation. */
export const TAG = 'animals';

/** What the contract says of one route: an Operation Object. */
export function operationOf(route: Route, schemas: Schemas): JsonObject {
  const { operation, summary, description } = route;
  const { deprecation, stability = 'stable' } = operation.field.extensions;
  const parameters = parametersOf(route, schemas);
  return {
    operationId: operation.name,
    tags: [TAG],
    summary,
    description: deprecation ? `${description}\n\n${endOf(deprecation)}` : description,
    ...(deprecation && {
      deprecated: true,
      // Two names for one day, for each is known to a tool: oasdiff's, which lets the operation go from
      // then on, and GitBook's, which shows it.
      'x-sunset': deprecation.removal,
      'x-deprecated-sunset': deprecation.removal,
    }),
    // GitBook shows it; oasdiff's x-stability-level knows nothing experimental.
    'x-stability': stability,
    ...(parameters.length > 0 && { parameters }),
    ...requestBody(route, schemas),
    responses: responsesOf(route, schemas),
  };
}

function endOf(deprecation: Deprecation): string {
  const reason = deprecationReason(deprecation, [`\`GET ${successorOf(deprecation)}\``]);
  return `Deprecated since ${inFull(deprecation.since)}. ${reason}`;
}

function requestBody({ operation, body }: Route, schemas: Schemas): JsonObject {
  if (body === undefined) {
    return {};
  }
  const members = Object.keys(body.members);
  const input = inputOf(operation, body.variable);
  return {
    requestBody: {
      description: input.description ?? '',
      required: true,
      content: {
        'application/json': {
          schema: bodySchema(input, members, schemas),
          example: exampleObject(members),
        },
      },
    },
  };
}
