import { GraphQLError } from 'graphql';
import { log } from '../log/log.ts';
import { loggedRequest } from '../log/request-context.ts';
import { codedError, errorCode, errorStatus, placedAt, type ErrorCode } from './coded-error.ts';
import { createOutageLog } from './outage-log.ts';

/** The request under which an error has been logged: it may be shared by several requests, or pass here twice. */
const logged = new WeakMap<Error, string | undefined>();

const logOutage = createOutageLog();

/** What callers see of unexpected errors. */
const replacements = new WeakMap<Error, GraphQLError>();

/**
 * What a caller may see of anything thrown: a coded error as it is, the rest as INTERNAL_SERVER_ERROR. What is not the
 * caller's fault is logged here, and nowhere else.
 */
export function publicError(thrown: unknown): GraphQLError {
  const code = errorCode(thrown);
  if (!(thrown instanceof GraphQLError) || code === undefined) {
    return unexpectedError(thrown);
  }
  if (errorStatus(code) >= 500) {
    // graphql-js wraps one cause in an error for each place in an operation.
    const { originalError = thrown } = thrown;
    const cause = originalError.cause ?? thrown.cause ?? thrown;
    const write = code === ('INTERNAL_SERVER_ERROR' satisfies ErrorCode) ? logError : logOutage;
    logOnce(originalError, () => write(code, cause));
  }
  return thrown;
}

function unexpectedError(thrown: unknown): GraphQLError {
  let replacement = thrown instanceof Error ? replacements.get(thrown) : undefined;
  if (replacement === undefined) {
    const error = codedError('INTERNAL_SERVER_ERROR', 'unexpected error');
    // Its place in the operation is no secret, and says which field is missing.
    replacement = thrown instanceof GraphQLError ? placedAt(thrown, error) : error;
  }
  if (thrown instanceof Error) {
    replacements.set(thrown, replacement);
  }
  logOnce(replacement, () => logError('unexpected error', thrown));
  return replacement;
}

function logError(message: string, err: unknown): string | undefined {
  log.error({ err }, message);
  return loggedRequest()?.id;
}

/** @param write writes it, and returns the request under whose id it did */
function logOnce(error: Error, write: () => string | undefined): void {
  const request = loggedRequest();
  if (!logged.has(error)) {
    logged.set(error, write());
  }
  const requestId = logged.get(error);
  if (request !== undefined && requestId !== request.id) {
    request.errorLoggedUnder = requestId;
  }
}
