import { GraphQLError } from 'graphql';
import { knownRequestErrorOf } from './prisma-errors.ts';
import { sqlStateOf } from './sqlstate.ts';

/** A transaction that lost to another one, by a serialization failure or a deadlock: it has had no effect. */
const CONFLICTS = /^40(?:001|P01)$/;

const ATTEMPTS = 3;

/** Runs what is a transaction of its own, again if it has lost to others. @throws what the last attempt throws */
export async function retryConflicts<Result>(run: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run();
    } catch (error) {
      if (attempt === ATTEMPTS || !isConflict(error)) {
        throw error;
      }
    }
  }
}

function isConflict(error: unknown): boolean {
  // Of a call within the transaction.
  const thrown = error instanceof GraphQLError ? error.cause : error;
  return knownRequestErrorOf(thrown)?.code === 'P2034' || CONFLICTS.test(sqlStateOf(thrown));
}
