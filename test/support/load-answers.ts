import { TOO_SLOW } from '@store-gateway/ops/errors';
import { graphqlAnimal, restAnimal } from './animals.ts';
import { type Answer, answeredAt } from './ask.ts';
import { errorBody, graphqlErrorBody } from './error-body.ts';
import { GRAPHQL_CREATE, GRAPHQL_LIST, REST_CREATE, REST_LIST } from './load.ts';
import type { MachineStalls } from './machine-stalls.ts';

/** The time in milliseconds within which a client gets an error if the database does not respond. */
export const ANSWER_TIMEOUT = 2000;

const MESSAGE = 'The service cannot reach its database right now. Please try again.';
export const REST_503 = `503 1 ${errorBody(503, 'SERVICE_UNAVAILABLE', MESSAGE)}`;
export const GRAPHQL_503 = `503 1 ${graphqlErrorBody(503, 'SERVICE_UNAVAILABLE', MESSAGE)}`;

const SOLD = { id: 1, status: 'sold' };

/** The normalized responses to a load's calls while everything works. */
export const HEALTHY_ANSWERS: readonly string[] = [
  `${GRAPHQL_LIST} 200 null {"data":{"pets":[]}}`,
  `${REST_LIST} 200 null []`,
  `${GRAPHQL_CREATE} 200 null {"data":{"createPet":${JSON.stringify(graphqlAnimal(SOLD))}}}`,
  `${REST_CREATE} 201 null ${restAnimal(SOLD)}`,
];

/** The normalized responses while the database is unavailable. */
export const UNAVAILABLE_ANSWERS: readonly string[] = [
  `${GRAPHQL_LIST} ${GRAPHQL_503}`,
  `${REST_LIST} ${REST_503}`,
  `${GRAPHQL_CREATE} ${GRAPHQL_503}`,
  `${REST_CREATE} ${REST_503}`,
];

/**
 * Normalizes a response by removing what differs between responses. The animals in it are checked elsewhere
 * (`animalsIn`), and whether an unavailable database leads to a timeout depends on the moment.
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

/** Returns the distinct normalized responses, sorted. */
export function formsOf(answers: readonly Answer[]): string[] {
  return [...new Set(answers.map(formOf))].toSorted();
}

/** Returns the 503s to requests that were sent after a time, by performance.now(). */
export function refusedAfter(time: number, answers: readonly Answer[]): Answer[] {
  return answers.filter(({ status, asked }) => status === 503 && asked > time);
}

/** If the machine stalls for this many milliseconds during a request, the service's own timeouts may expire. */
const STANDSTILL = 300;

/** Returns responses that took longer than `limit` milliseconds, not counting machine stalls. */
export function overdue(
  answers: readonly Answer[],
  stalls: MachineStalls,
  limit = ANSWER_TIMEOUT,
): Promise<Answer[]> {
  const late = answers.filter(({ milliseconds }) => milliseconds >= limit);
  return filtered(late, stalls, ({ milliseconds }, stalled) => milliseconds - stalled >= limit);
}

/**
 * Returns 503s to requests that were sent when the database had been back for longer than the service may take to
 * notice it, and during which the machine did not stall. On a busy machine, just opening connections can take that
 * long.
 */
export async function refusedSince(
  back: number,
  answers: readonly Answer[],
  stalls: MachineStalls,
): Promise<Answer[]> {
  const stalled = await stalls.totalWithin(back, back + ANSWER_TIMEOUT);
  return withoutStandstill(refusedAfter(back + ANSWER_TIMEOUT + stalled, answers), stalls);
}

/** Returns the responses during which the machine did not stall. */
export function withoutStandstill(
  answers: readonly Answer[],
  stalls: MachineStalls,
): Promise<Answer[]> {
  return filtered(answers, stalls, (_answer, stalled) => stalled < STANDSTILL);
}

/** Filters responses by a predicate that also gets the time for which the machine stalled during the request. */
async function filtered(
  answers: readonly Answer[],
  stalls: MachineStalls,
  fits: (answer: Answer, stalled: number) => boolean,
): Promise<Answer[]> {
  const found: Answer[] = [];
  for (const answer of answers) {
    const stalled = await stalls.totalWithin(answer.asked, answeredAt(answer));
    if (fits(answer, stalled)) found.push(answer);
  }
  return found;
}
