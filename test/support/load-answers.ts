import { TOO_SLOW } from '@store-gateway/ops/errors';
import { graphqlAnimal, restAnimal } from './animals.ts';
import type { Answer } from './ask.ts';
import { errorBody, graphqlErrorBody } from './error-body.ts';
import { GRAPHQL_CREATE, GRAPHQL_LIST, REST_CREATE, REST_LIST } from './load-calls.ts';

/** Milliseconds within which a caller hears of a database that does not answer. */
export const ANSWER_TIMEOUT = 2000;

const MESSAGE = 'The service cannot reach its database right now. Please try again.';
export const REST_503 = `503 1 ${errorBody(503, 'SERVICE_UNAVAILABLE', MESSAGE)}`;
export const GRAPHQL_503 = `503 1 ${graphqlErrorBody(503, 'SERVICE_UNAVAILABLE', MESSAGE)}`;

const SOLD = { id: 1, status: 'sold' };

/** How the calls of a load are answered as long as all is well. */
export const HEALTHY_ANSWERS: readonly string[] = [
  `${GRAPHQL_LIST} 200 null {"data":{"pets":[]}}`,
  `${REST_LIST} 200 null []`,
  `${GRAPHQL_CREATE} 200 null {"data":{"createPet":${JSON.stringify(graphqlAnimal(SOLD))}}}`,
  `${REST_CREATE} 201 null ${restAnimal(SOLD)}`,
];

/** And as long as the database is away. */
export const UNAVAILABLE_ANSWERS: readonly string[] = [
  `${GRAPHQL_LIST} ${GRAPHQL_503}`,
  `${REST_LIST} ${REST_503}`,
  `${GRAPHQL_CREATE} ${GRAPHQL_503}`,
  `${REST_CREATE} ${REST_503}`,
];

/**
 * An answer without what differs from one to the next: what animals it tells of is looked at elsewhere (load-faults.ts), and
 * whether a database that is away is too slow depends on the moment.
 */
function formOf({ call, status, retryAfter, text }: Answer): string {
  const asked = call.replace(/after:\d+/, 'after:0');
  const told = text
    .replaceAll(/"(id|categoryId)":("?)\d+"?/g, '"$1":$21$2')
    .replaceAll(/"name":"[^"]+"/g, '"name":"Rex"')
    .replaceAll(/"status":"\w+"/g, '"status":"sold"')
    .replace(TOO_SLOW, MESSAGE)
    .replace(/\[\{"id.*\]/, '[]')
    .replace(/"locations":\[[^\]]+\],"path":\["\w+"\],/, '');
  return `${asked} ${status} ${retryAfter} ${told}`;
}

/** The forms of answers, each once, in the order of the alphabet. */
export function formsOf(answers: readonly Answer[]): string[] {
  return [...new Set(answers.map(formOf))].toSorted();
}

/** Those to whom the database was still away when they asked: after that time, by performance.now(). */
export function refusedAfter(time: number, answers: readonly Answer[]): Answer[] {
  return answers.filter(({ status, asked }) => status === 503 && asked > time);
}
