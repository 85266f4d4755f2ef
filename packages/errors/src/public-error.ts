import { GraphQLError } from 'graphql';
import { codedError, ERROR_KINDS, errorCode, placedAt } from './coded-error.ts';
import { log, requestUnderWay } from '@gateway/log/log';

/**
 * Errors that have been logged, and under the id of which request: one that several requests share, or that
 * passes here twice, is logged once.
 */
const logged = new WeakMap<Error, string | undefined>();

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
  if (ERROR_KINDS[code].status >= 500) {
    // Where it happened in each operation, it is another error of one cause.
    logOnce(thrown.originalError ?? thrown, () => {
      log.error({ err: thrown.originalError?.cause ?? thrown.cause ?? thrown }, code);
    });
  }
  return thrown;
}

function unexpectedError(thrown: unknown): GraphQLError {
  let replacement = thrown instanceof Error ? replacements.get(thrown) : undefined;
  if (replacement === undefined) {
    const error = codedError('INTERNAL_SERVER_ERROR', 'unexpected error');
    // Where in the operation it happened is no secret, and tells a client what is missing.
    replacement = thrown instanceof GraphQLError ? placedAt(thrown, error) : error;
  }
  if (thrown instanceof Error) {
    replacements.set(thrown, replacement);
  }
  logOnce(replacement, () => {
    log.error({ err: thrown }, 'unexpected error');
  });
  return replacement;
}

function logOnce(error: Error, write: () => void): void {
  const request = requestUnderWay.getStore();
  if (!logged.has(error)) {
    logged.set(error, request?.id);
    write();
  } else if (request !== undefined && logged.get(error) !== request.id) {
    request.errorLoggedUnder = logged.get(error);
  }
}
