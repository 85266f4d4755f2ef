import type { GraphQLError } from 'graphql';
import { DatabaseError } from 'pg';
import { codedError } from '@store-gateway/ops/errors';

/** SQLSTATEs of a database that answers but takes no writes: it is read-only, or its disk is full. */
const NO_WRITES: ReadonlySet<string | undefined> = new Set(['25006', '53100']);

/** Milliseconds for which all refused writes share one error, which is logged once. */
const SHARED_MS = 10_000;

let shared:
  | { readonly error: GraphQLError; readonly code: string | undefined; readonly at: number }
  | undefined;

/** SERVICE_UNAVAILABLE, if that is what the thrown error comes to: the database takes no writes. */
export function refusalOfWrite(thrown: unknown): GraphQLError | undefined {
  if (!refusesWrites(thrown)) {
    return undefined;
  }
  const { code } = thrown;
  const now = performance.now();
  if (shared === undefined || shared.code !== code || now - shared.at > SHARED_MS) {
    const error = codedError('SERVICE_UNAVAILABLE', 'the database takes no writes', thrown);
    shared = { error, code, at: now };
  }
  return shared.error;
}

/** Whether refusalOfWrite made it. */
export function isRefusalOfWrite(error: unknown): boolean {
  return error instanceof Error && refusesWrites(error.cause);
}

/** Whether PostgreSQL's own error says so. */
export function refusesWrites(thrown: unknown): thrown is DatabaseError {
  return thrown instanceof DatabaseError && NO_WRITES.has(thrown.code);
}
