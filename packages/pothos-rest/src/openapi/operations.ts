import type { JsonObject } from '@gateway/exact-json/json';
import { deprecationReason, inFull, type Deprecation } from '@gateway/pothos-plugins/lifecycle';
import { successorOf } from '../deprecation.ts';
import { inputMembers } from '../members.ts';
import type { Operation } from '../operation.ts';
import type { PreparedRoute, Rest } from '../rest.ts';
import type { Variable } from '../variables.ts';
import { memberExample } from './examples.ts';
import { parametersOf } from './parameters.ts';
import { responsesOf } from './responses.ts';
import { bodySchema, type Schemas } from './schemas.ts';
import { tagNameOf } from './tag.ts';

/** What the contract says of one route: an Operation Object. */
export function operationOf(rest: Rest, route: PreparedRoute, schemas: Schemas): JsonObject {
  const { operation, summary, variables } = route;
  const description = route.description ?? operation.field.description ?? '';
  const { deprecation, stability = 'stable' } = operation.field.extensions;
  const parameters = parametersOf(route, schemas);
  return {
    operationId: operation.name,
    tags: [tagNameOf(operation)],
    summary,
    description: deprecation ? `${description}\n\n${endOf(rest, deprecation)}` : description,
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
    ...(variables.body && { requestBody: requestBody(variables.body, operation, schemas) }),
    responses: responsesOf(rest, route, schemas),
  };
}

function requestBody([, field]: Variable, { type }: Operation, schemas: Schemas): JsonObject {
  const schema = bodySchema(field, type, schemas);
  const example = memberExample({ field, members: inputMembers(field.type) }, type);
  return {
    description: field.description ?? '',
    required: true,
    content: { 'application/json': { schema, example } },
  };
}

function endOf(rest: Rest, deprecation: Deprecation): string {
  const reason = deprecationReason(deprecation, [`\`GET ${successorOf(rest, deprecation)}\``]);
  return `Deprecated since ${inFull(deprecation.since)}. ${reason}`;
}
