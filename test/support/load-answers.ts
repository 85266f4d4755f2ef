import { errorBody, graphqlErrorBody } from './error-body.ts';
import type { Answer } from './load.ts';

/** Milliseconds within which a caller hears of a database that does not answer. */
export const PATIENCE = 2000;

const MESSAGE = 'The service cannot reach its database right now. Please try again.';
export const REST_503 = `503 1 ${errorBody(503, 'SERVICE_UNAVAILABLE', MESSAGE)}`;
export const GRAPHQL_503 = `503 1 ${graphqlErrorBody(503, 'SERVICE_UNAVAILABLE', MESSAGE)}`;

/** What the calls of a load (load.ts) are answered with as long as all is well. */
export const WELL: readonly string[] = [
  'GET /graphql?query={pets{id}} 200 null {"data":{"pets":[]}}',
  'GET /v1/pets 200 null []',
  'POST /graphql 200 null {"data":{"createPet":{"id":"1"}}}',
  'POST /v1/pets 201 null {"id":1,"name":"Rex","categoryId":1,"status":"available"}',
];

/** And as long as the database is away. */
export const AWAY: readonly string[] = [
  `GET /graphql?query={pets{id}} ${GRAPHQL_503}`,
  `GET /v1/pets ${REST_503}`,
  `POST /graphql ${GRAPHQL_503}`,
  `POST /v1/pets ${REST_503}`,
];

/** An answer without what differs from one to the next. */
function formOf({ call, status, retryAfter, text }: Answer): string {
  const told = text
    .replaceAll(/"id":("?)\d+"?/g, '"id":$11$1')
    .replaceAll(/"name":"[^"]+"/g, '"name":"Rex"')
    .replace(/\[\{"id.*\]/, '[]')
    .replace(/"locations":\[[^\]]+\],"path":\["\w+"\],/, '');
  return `${call} ${status} ${retryAfter} ${told}`;
}

/** The forms of answers, each once, in the order of the alphabet. */
export function formsOf(answers: readonly Answer[]): string[] {
  return [...new Set(answers.map(formOf))].toSorted();
}

/** The longest that one of them took: milliseconds. */
export function slowestOf(answers: readonly Answer[]): number {
  return answers.reduce((slowest, { milliseconds }) => Math.max(slowest, milliseconds), 0);
}
