import { GraphQLError } from 'graphql';

declare module 'graphql' {
  interface GraphQLErrorExtensions {
    status?: number;
  }
}

interface ErrorKind {
  /** The HTTP status, and the `status` member of both error shapes. */
  readonly status: number;
  /** Shown instead of the error's own message, which is for the log only. */
  readonly constantText?: string;
  /** Seconds (RFC 9110, 10.2.3). */
  readonly retryAfter?: number;
}

/** For what seldom lasts long. */
export const RETRY_AFTER_SECONDS = 1;

/** Every error that a caller can get. Without a constant text, the thrower's message is for the caller. */
export const ERROR_KINDS = {
  BAD_USER_INPUT: { status: 400 },
  UNAUTHENTICATED: { status: 401 },
  DOCUMENT_NOT_TRUSTED: { status: 403 },
  NOT_FOUND: { status: 404 },
  METHOD_NOT_ALLOWED: { status: 405 },
  NOT_ACCEPTABLE: { status: 406 },
  REQUEST_TIMEOUT: { status: 408 },
  CONFLICT: { status: 409 },
  GONE: { status: 410 },
  PAYLOAD_TOO_LARGE: { status: 413 },
  URI_TOO_LONG: { status: 414 },
  UNSUPPORTED_MEDIA_TYPE: { status: 415 },
  IDEMPOTENCY_KEY_REUSED: { status: 422 },
  TOO_MANY_REQUESTS: { status: 429 },
  HEADERS_TOO_LARGE: { status: 431 },
  INTERNAL_SERVER_ERROR: {
    status: 500,
    constantText: 'Something went wrong on our side. The X-Request-Id header names this request.',
  },
  SERVICE_UNAVAILABLE: {
    status: 503,
    constantText: 'The service cannot reach its database right now. Please try again.',
    retryAfter: RETRY_AFTER_SECONDS,
  },
  OVERLOADED: {
    status: 503,
    constantText: 'The service has too much to do right now. Please try again.',
    retryAfter: RETRY_AFTER_SECONDS,
  },
} as const satisfies Record<string, ErrorKind>;

export type ErrorCode = keyof typeof ERROR_KINDS;

/**
 * @param message for the caller, or for the log only if the kind has a constant text
 * @param cause for the log only
 */
export function codedError(code: ErrorCode, message: string, cause?: unknown): GraphQLError {
  const { status, constantText }: ErrorKind = ERROR_KINDS[code];
  const error = new GraphQLError(constantText ?? message, { extensions: { code, status } });
  error.cause = cause ?? (constantText === undefined ? undefined : new Error(message));
  return error;
}

/** The Retry-After header of errors that have one. */
export function retryHeaders(code: ErrorCode | undefined): Record<string, string> {
  const kind: ErrorKind | undefined = code && ERROR_KINDS[code];
  return kind?.retryAfter === undefined ? {} : { 'Retry-After': String(kind.retryAfter) };
}

/** The code of a coded error; undefined for anything else thrown. */
export function errorCode(error: unknown): ErrorCode | undefined {
  const code = error instanceof GraphQLError ? error.extensions['code'] : undefined;
  return typeof code === 'string' && isErrorCode(code) ? code : undefined;
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERROR_KINDS, code);
}

/** The second error, at the first one's place in the operation. */
export function placedAt({ path, locations }: GraphQLError, error: GraphQLError): GraphQLError {
  // The constructor of graphql-js takes them from nodes, which not every error has.
  return Object.defineProperties(error, {
    path: { value: path, enumerable: path !== undefined },
    locations: { value: locations, enumerable: locations !== undefined },
  });
}
