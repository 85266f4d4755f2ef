import { PrismaClientKnownRequestError } from '@prisma/client/runtime/client';
import { DriverAdapterError } from '@prisma/driver-adapter-utils';
import { GraphQLError } from 'graphql';
import { DatabaseError } from 'pg';

/** A transaction that lost to another one, by a serialization failure or a deadlock: it has had no effect. */
const CONFLICTS: ReadonlySet<string | undefined> = new Set(['40001', '40P01']);

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
  if (error instanceof GraphQLError) {
    // Of a call within the transaction.
    return isConflict(error.cause);
  }
  if (error instanceof DatabaseError) {
    return CONFLICTS.has(error.code);
  }
  const isKnown = error instanceof PrismaClientKnownRequestError;
  // A commit fails with the adapter's own error.
  const driverError = isKnown ? error.meta?.['driverAdapterError'] : error;
  return (
    (isKnown && error.code === 'P2034') ||
    (driverError instanceof DriverAdapterError && CONFLICTS.has(driverError.cause.originalCode))
  );
}
