import { GraphQLError } from 'graphql';
import { createOutageLog, log } from './log/log.ts';
import { loggedRequest } from './log/request-context.ts';

declare module 'graphql' {
  interface GraphQLErrorExtensions {
    status?: number;
    /** The missing scopes, for FORBIDDEN. */
    scopes?: readonly string[];
  }
}

interface ErrorKind {
  /** The HTTP status, which is also the `status` member in the errors of both APIs. */
  readonly status: number;
  /** The error's meaning in a sentence or two of CommonMark, for the contract. */
  readonly meaning: string;
  /** The constant message for callers. The error's own message is then only for the log. */
  readonly constantText?: string;
  /** The value of Retry-After, in seconds (RFC 9110, 10.2.3). */
  readonly retryAfter?: number;
}

/** The Retry-After for failures that rarely last long, in seconds. */
export const RETRY_AFTER_SECONDS = 1;

/**
 * All errors that a caller can get, except those that `defineError` adds. If an error has no constant message, callers see its
 * own message.
 */
export const ERROR_KINDS = {
  BAD_USER_INPUT: {
    status: 400,
    meaning: 'An input is missing or invalid. The message names it and says what is expected.',
  },
  UNAUTHENTICATED: { status: 401, meaning: 'Missing or invalid API key.' },
  DOCUMENT_NOT_TRUSTED: { status: 403, meaning: 'The service only runs trusted documents.' },
  FORBIDDEN: { status: 403, meaning: 'The API key does not allow this.' },
  NOT_FOUND: { status: 404, meaning: 'The requested resource could not be found.' },
  METHOD_NOT_ALLOWED: {
    status: 405,
    meaning:
      'This address does not support the method; `Allow` lists the methods that it supports.',
  },
  NOT_ACCEPTABLE: {
    status: 406,
    meaning: "The request's `Accept` has none of the available media types.",
  },
  REQUEST_TIMEOUT: { status: 408, meaning: 'The request took too long to arrive.' },
  CONFLICT: {
    status: 409,
    meaning: 'A unique value is already taken, or other records still refer to this one.',
  },
  GONE: {
    status: 410,
    meaning:
      'The operation was removed on the announced day, or a repeated write refers to something that has been removed since.',
  },
  PRECONDITION_FAILED: {
    status: 412,
    meaning: 'The resource has changed: its `ETag` or version is not an expected one.',
  },
  PAYLOAD_TOO_LARGE: { status: 413, meaning: 'The body is too large.' },
  URI_TOO_LONG: { status: 414, meaning: 'The URL is too long.' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, meaning: 'Unsupported media type, charset or encoding.' },
  IDEMPOTENCY_KEY_REUSED: {
    status: 422,
    meaning: 'The `Idempotency-Key` was already used for another request.',
  },
  PRECONDITION_REQUIRED: {
    status: 428,
    meaning: 'The change requires `If-Match` with the `ETag` of the resource.',
  },
  TOO_MANY_REQUESTS: {
    status: 429,
    meaning: 'Too many requests with this key, or with invalid credentials from this address.',
  },
  HEADERS_TOO_LARGE: { status: 431, meaning: 'There are too many headers, or they are too large.' },
  INTERNAL_SERVER_ERROR: {
    status: 500,
    meaning: 'Unexpected error in the service.',
    constantText:
      'Something went wrong on our side. The X-Request-Id header identifies this request.',
  },
  NOT_IMPLEMENTED: { status: 501, meaning: 'No address of this service supports this method.' },
  SERVICE_UNAVAILABLE: {
    status: 503,
    meaning:
      'The database is unavailable. Whether a write took effect is unknown: if it had an `Idempotency-Key`, send it again.',
    constantText: 'The service cannot reach its database right now. Please try again.',
    retryAfter: RETRY_AFTER_SECONDS,
  },
  OVERLOADED: {
    status: 503,
    meaning: 'Too many concurrent requests or connections.',
    constantText: 'The service is overloaded right now. Please try again.',
    retryAfter: RETRY_AFTER_SECONDS,
  },
} as const satisfies Record<string, ErrorKind>;

/** The message of SERVICE_UNAVAILABLE if the database was, or may have been, reached but took too long. */
export const TOO_SLOW = 'The database took too long to respond. Please try again.';

/** The codes of ERROR_KINDS. */
export type ErrorCode = keyof typeof ERROR_KINDS;

/** An error that an application defines. */
export interface CustomError {
  /** In upper-case words with underscores. */
  readonly code: string;
  /** The HTTP status, 400 to 499. An error that isn't the caller's fault must be INTERNAL_SERVER_ERROR. */
  readonly status: number;
  /** The error's meaning in a sentence. */
  readonly description: string;
  /** An example of the error's messages. */
  readonly example: string;
}

const kinds = new Map<string, ErrorKind>(Object.entries(ERROR_KINDS));

/**
 * Adds an error to those that callers can get.
 *
 * @returns a function that creates the error, with a message for the caller; when listed in a field's `throws`, the function adds
 *   the error to the contract of the field's routes
 * @throws Error if an error with this code already exists
 */
export function defineError(own: CustomError): CustomError & ((message: string) => GraphQLError) {
  const { code, status } = own;
  if (!/^[A-Z][A-Z0-9_]*$/.test(code)) {
    throw new Error(`an error's code must be upper-case words such as ON_LOAN, not ${code}`);
  }
  if (!Number.isInteger(status) || status < 400 || status > 499) {
    throw new Error(`the status of ${code} must be between 400 and 499, not ${status}`);
  }
  if (kinds.has(code)) {
    throw new Error(`the error ${code} already exists`);
  }
  const kind = { status, meaning: own.description };
  kinds.set(code, kind);
  return Object.assign((message: string) => errorOf(code, kind, message), own);
}

/**
 * Creates an error for a caller, to be thrown.
 *
 * @param message for the caller, or only for the log if the kind has a constant message
 * @param cause only for the log
 */
export function codedError(code: ErrorCode, message: string, cause?: unknown): GraphQLError {
  return errorOf(code, ERROR_KINDS[code], message, cause);
}

/**
 * Creates SERVICE_UNAVAILABLE for a database that took too long.
 *
 * @param message for the log only
 * @param cause for the log only
 */
export function tooSlow(message: string, cause?: unknown): GraphQLError {
  const kind = { ...ERROR_KINDS.SERVICE_UNAVAILABLE, constantText: TOO_SLOW };
  return errorOf('SERVICE_UNAVAILABLE', kind, message, cause);
}

/** Creates BAD_USER_INPUT for an idempotency key that is sent with a mutation that does not accept one. */
export function keyNotAccepted(): GraphQLError {
  return codedError('BAD_USER_INPUT', 'This mutation does not accept an Idempotency-Key');
}

function errorOf(
  code: string,
  { status, constantText }: ErrorKind,
  message: string,
  cause?: unknown,
): GraphQLError {
  const error = new GraphQLError(constantText ?? message, { extensions: { code, status } });
  error.cause = cause ?? (constantText === undefined ? undefined : new Error(message));
  return error;
}

/** Returns the Retry-After header for an error code; empty if the code has none. */
export function retryHeaders(code: string | undefined): Record<string, string> {
  const { retryAfter } = (code === undefined ? undefined : kinds.get(code)) ?? {};
  return retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) };
}

/** Returns the code of a coded error; undefined for any other thrown value. */
export function errorCode(error: unknown): string | undefined {
  const code = error instanceof GraphQLError ? error.extensions['code'] : undefined;
  return typeof code === 'string' && kinds.has(code) ? code : undefined;
}

/** Returns the HTTP status for an error code. */
export function errorStatus(code: string): number {
  return (kinds.get(code) ?? ERROR_KINDS.INTERNAL_SERVER_ERROR).status;
}

/** Returns the second error with the first one's path and locations. */
export function placedAt(
  { path, locations }: Pick<GraphQLError, 'path' | 'locations'>,
  error: GraphQLError,
): GraphQLError {
  // graphql-js's constructor derives them from nodes, which not every error has.
  return Object.defineProperties(error, {
    path: { value: path, enumerable: path !== undefined },
    locations: { value: locations, enumerable: locations !== undefined },
  });
}

/** A caller's scopes: all, or those with these names. */
export type Scopes = 'all' | ReadonlySet<string>;

/** Creates FORBIDDEN for a caller that lacks these scopes. There must be at least one. */
export function missingScopes(scopes: readonly string[]): GraphQLError {
  const error = codedError('FORBIDDEN', `This request needs the ${formatScopes(scopes)}`);
  error.extensions.scopes = scopes;
  return error;
}

/** Formats scopes for a sentence: "scope a", or "scopes a, b and c". */
export function formatScopes(scopes: readonly string[]): string {
  const last = scopes.at(-1) ?? '';
  const others = scopes.slice(0, -1);
  return others.length === 0 ? `scope ${last}` : `scopes ${others.join(', ')} and ${last}`;
}

/** Returns the WWW-Authenticate header for a 403. It names the missing scopes (RFC 6750, 3.1). */
export function scopeChallenge({ extensions: { scopes } }: GraphQLError): Record<string, string> {
  return scopes === undefined
    ? {}
    : { 'WWW-Authenticate': `Bearer error="insufficient_scope", scope="${scopes.join(' ')}"` };
}

/**
 * The id of the request under which an error was logged. Several requests may share an error, and one request may report it
 * twice.
 */
const logged = new WeakMap<Error, string | undefined>();

const logOutage = createOutageLog();

/** The errors that callers get in place of unexpected ones. */
const replacements = new WeakMap<Error, GraphQLError>();

/**
 * Returns the error that a caller may see for any thrown value: a coded error unchanged, or INTERNAL_SERVER_ERROR for anything
 * else. Errors that aren't the caller's fault are logged here, and only here.
 */
export function publicError(thrown: unknown): GraphQLError {
  const code = errorCode(thrown);
  if (!(thrown instanceof GraphQLError) || code === undefined) {
    return unexpectedError(thrown);
  }
  if (errorStatus(code) >= 500) {
    // graphql-js wraps one cause in several errors, one for each place in an operation.
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
    // The path in the operation isn't secret, and shows which field failed.
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

/** @param write logs the error, and returns the id of the request under which it is logged */
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
