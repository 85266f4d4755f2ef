import { answeredAt, type Answer } from './ask.ts';
import { ANSWER_TIMEOUT, refusedAfter } from './load-answers.ts';
import type { MachineStalls } from './machine-stalls.ts';

/** A machine that stands still for so much of a request lets the service's own time-outs run out: milliseconds. */
const STANDSTILL = 300;

/** Answers that took longer than `limit` milliseconds, not counting how long the machine itself stood still. */
export async function overdue(
  answers: readonly Answer[],
  stalls: MachineStalls,
  limit = ANSWER_TIMEOUT,
): Promise<Answer[]> {
  const found: Answer[] = [];
  for (const answer of answers.filter(({ milliseconds }) => milliseconds >= limit)) {
    if (answer.milliseconds - (await stalledDuring(answer, stalls)) >= limit) {
      found.push(answer);
    }
  }
  return found;
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
export async function withoutStandstill(
  answers: readonly Answer[],
  stalls: MachineStalls,
): Promise<Answer[]> {
  const found: Answer[] = [];
  for (const answer of answers) {
    if ((await stalledDuring(answer, stalls)) < STANDSTILL) {
      found.push(answer);
    }
  }
  return found;
}

function stalledDuring(answer: Answer, stalls: MachineStalls): Promise<number> {
  return stalls.totalWithin(answer.asked, answeredAt(answer));
}
