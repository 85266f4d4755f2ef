import type { GraphQLError } from 'graphql';
import { DatabaseError } from 'pg';
import { codedError } from '@gateway/errors/coded-error';

/** SQLSTATEs of a database that answers, but where nothing can be added: it is read-only, or its disk is full. */
const NO_WRITES: ReadonlySet<string | undefined> = new Set(['25006', '53100']);

/** Milliseconds for which one error serves for all writes that are refused: what is shared is logged once. */
const SHARED_MS = 10_000;

let shared:
  | { readonly error: GraphQLError; readonly code: string | undefined; readonly at: number }
  | undefined;

/** What is thrown, as SERVICE_UNAVAILABLE, if the database takes no writes. */
export function refusalOfWrite(thrown: unknown): GraphQLError | undefined {
  if (!saysNoWrites(thrown)) {
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

/** Whether it is such an error. */
export function isRefusalOfWrite(error: unknown): boolean {
  return error instanceof Error && saysNoWrites(error.cause);
}

/** Whether it is PostgreSQL's own word for that. */
export function saysNoWrites(thrown: unknown): thrown is DatabaseError {
  return thrown instanceof DatabaseError && NO_WRITES.has(thrown.code);
}
