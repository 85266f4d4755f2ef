import { TOO_SLOW } from '@store-gateway/ops/errors';
import { graphqlAnimal, restAnimal } from './animals.ts';
import { type Answer, answeredAt } from './ask.ts';
import { errorBody, graphqlErrorBody } from './error-body.ts';
import { GRAPHQL_CREATE, GRAPHQL_LIST, REST_CREATE, REST_LIST } from './load.ts';
import type { MachineStalls } from './machine-stalls.ts';

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
 * An answer without what differs from one to the next: what animals it tells of is looked at elsewhere (`animalsIn`), and
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

/** A machine that stands still for so much of a request lets the service's own time-outs run out: milliseconds. */
const STANDSTILL = 300;

/** Answers that took longer than `limit` milliseconds, not counting how long the machine itself stood still. */
export function overdue(
  answers: readonly Answer[],
  stalls: MachineStalls,
  limit = ANSWER_TIMEOUT,
): Promise<Answer[]> {
  const late = answers.filter(({ milliseconds }) => milliseconds >= limit);
  return filtered(late, stalls, ({ milliseconds }, stalled) => milliseconds - stalled >= limit);
}

/**
 * Requests that were refused though the database had been back for longer than the service may take to notice it, and the
 * machine did not stand still. On a busy one, connections alone take so long.
 */
export async function refusedSince(
  back: number,
  answers: readonly Answer[],
  stalls: MachineStalls,
): Promise<Answer[]> {
  const stalled = await stalls.totalWithin(back, back + ANSWER_TIMEOUT);
  return withoutStandstill(refusedAfter(back + ANSWER_TIMEOUT + stalled, answers), stalls);
}

/** Those during which the machine did not stand still. */
export function withoutStandstill(
  answers: readonly Answer[],
  stalls: MachineStalls,
): Promise<Answer[]> {
  return filtered(answers, stalls, (_answer, stalled) => stalled < STANDSTILL);
}

/** Those that fit, given for how long the machine stood still meanwhile. */
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
