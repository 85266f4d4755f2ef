import { faultOf, type Claim, type Observation } from './observations.ts';
import { REMOVED } from './register.ts';
import type { Row } from './rows.ts';

/** An answer that tells of animals. What it leaves out is known once all animals are. */
export interface Told extends Omit<Observation, 'claims'> {
  readonly claims: () => readonly Claim[];
  /** Animals that it says are not there, if that counts from then on. */
  readonly absent?: () => readonly Row[];
}

export interface Verdict {
  /** What should not have been answered, in words; [] if the store was linearizable. */
  readonly faults: readonly string[];
  /** How many claims the answers made. */
  readonly checks: number;
}

/**
 * Holds each answer against what all of them say.
 *
 * @param isAtOnce whether all that an answer says has to have been so at one moment
 */
export function verdictOf(answers: readonly Told[], isAtOnce: boolean): Verdict {
  for (const { span, absent } of answers) {
    for (const { name } of absent?.() ?? []) {
      // One that had been there is gone.
      if (name.existsBy() < span.from) name.shown(REMOVED, span);
    }
  }
  const observations = answers.map((told) => ({ ...told, claims: told.claims() }));
  return {
    faults: observations.flatMap((observation) =>
      (isAtOnce ? [observation] : byRow(observation)).flatMap((each) => faultOf(each) ?? []),
    ),
    checks: observations.reduce((sum, { claims }) => sum + claims.length, 0),
  };
}

/** What an answer says of each animal alone. */
function byRow(observation: Observation): Observation[] {
  return Array.from(Map.groupBy(observation.claims, ({ row }) => row).values(), (claims) => ({
    ...observation,
    claims,
  }));
}
