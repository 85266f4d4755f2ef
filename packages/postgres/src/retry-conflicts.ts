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

/**
 * As `retryConflicts`, and runs what is Prisma's once more if it has found no row to change: Citus looks in the wrong shard if it has
 * waited for a table to be distributed.
 *
 * @throws what the last attempt throws
 */
export async function retryMissing<Result>(run: () => Promise<Result>): Promise<Result> {
  try {
    return await retryConflicts(run);
  } catch (error) {
    if (prismaCodeOf(error) !== 'P2025') {
      throw error;
    }
    return retryConflicts(run);
  }
}

function isConflict(error: unknown): boolean {
  return prismaCodeOf(error) === 'P2034' || CONFLICTS.test(sqlStateOf(thrownBy(error)));
}

function prismaCodeOf(error: unknown): string | undefined {
  return knownRequestErrorOf(thrownBy(error))?.code;
}

/** What a call within a transaction has thrown. */
function thrownBy(error: unknown): unknown {
  return error instanceof GraphQLError ? error.cause : error;
}
