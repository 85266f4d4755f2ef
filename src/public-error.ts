import { GraphQLError } from 'graphql';
import { codedError, ERROR_KINDS, errorCode, placedAt } from './errors.ts';
import { log } from './log.ts';

/** Errors that have been through here: one that passes both surfaces' edges is logged once. */
const logged = new WeakSet<GraphQLError>();

/** What callers see of unexpected errors: one that several of them share is logged once. */
const replacements = new WeakMap<Error, GraphQLError>();

/**
 * What a caller may see of something thrown: an error of the closed list as it is, everything else as
 * INTERNAL_SERVER_ERROR. What is not the caller's fault is logged here, and nowhere else.
 */
export function publicError(thrown: unknown): GraphQLError {
  const code = errorCode(thrown);
  if (!(thrown instanceof GraphQLError) || code === undefined) {
    return unexpectedError(thrown);
  }
  if (ERROR_KINDS[code].status >= 500 && !logged.has(thrown)) {
    log.error({ err: thrown.originalError?.cause ?? thrown.cause ?? thrown }, code);
    logged.add(thrown);
  }
  return thrown;
}

function unexpectedError(thrown: unknown): GraphQLError {
  const known = thrown instanceof Error ? replacements.get(thrown) : undefined;
  if (known !== undefined) {
    return known;
  }
  log.error({ err: thrown }, 'unexpected error');
  const error = codedError('INTERNAL_SERVER_ERROR', 'unexpected error');
  // Where in the operation it happened is no secret, and tells a client what is missing.
  const replacement = thrown instanceof GraphQLError ? placedAt(thrown, error) : error;
  logged.add(replacement);
  if (thrown instanceof Error) {
    replacements.set(thrown, replacement);
  }
  return replacement;
}
