import { type ExecutionResult, GraphQLError, type GraphQLFormattedError } from 'graphql';
import {
  ERROR_KINDS,
  errorCode,
  retryHeaders,
  scopeChallenge,
  codedError,
  publicError,
} from '@store-gateway/ops/errors';
import { memoizeLast, requestContext, redactKeys } from '@store-gateway/ops';
import { ResultWithRows } from './execution/written-rows.ts';

/** A response, ready to be sent. */
interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The body, as JSON. */
  readonly body: string;
}

/**
 * Returns the HTTP response to a result, by the rules of GraphQL over HTTP; its status depends on the media type.
 *
 * @param suggests whether errors may suggest names of the schema; by default they may
 */
export function httpResponse(
  result: ExecutionResult,
  mediaType: string,
  suggests = true,
): HttpResponse {
  const { errors, data } = result;
  if (errors === undefined) {
    return { status: 200, headers: {}, body: serialize(result) };
  }
  const isLegacy = mediaType.startsWith('application/json');
  const status = isLegacy ? legacyStatusOfResult(result, errors) : statusOfResult(result, errors);
  const hasData = 'data' in result && status < 300;
  if (hasData) {
    recordErrors(errors);
  }
  // A request error has the response's status; an error beside data has the status of its kind.
  const statusOf = isLegacy || hasData ? statusOfError : statusOfRequestError;
  // Keys are redacted, because messages and paths repeat parts of the document.
  const formatted = errors.map((error) => format(error, statusOf));
  const told = suggests ? formatted : formatted.map(withoutSuggestions);
  const errorsText = redactKeys(JSON.stringify(told));
  const body = hasData
    ? `{"errors":${errorsText},"data":${JSON.stringify(data)}}`
    : `{"errors":${errorsText}}`;
  return { status, headers: isLegacy && hasData ? {} : headersOf(errors, status), body };
}

/** Coalesced results are serialized once. */
const serialize = memoizeLast((result: ExecutionResult) =>
  result instanceof ResultWithRows ? result.toText() : JSON.stringify(result),
);

/** Marks the request as failed or forbidden for metrics and traces, though its status is that of a success. */
function recordErrors(errors: readonly GraphQLError[]): void {
  const request = requestContext.getStore();
  if (request === undefined) {
    return;
  }
  const fault = errors.find(isServerFault);
  if (fault !== undefined) {
    request.errorType = errorCode(fault);
  }
  if (errors.some((error) => statusOfError(error) === ERROR_KINDS.FORBIDDEN.status)) {
    request.forbidden = true;
  }
}

function headersOf(errors: readonly GraphQLError[], status: number): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const error of errors) {
    Object.assign(headers, error.extensions.http?.headers, retryHeaders(errorCode(error)));
    if (status === ERROR_KINDS.FORBIDDEN.status) {
      Object.assign(headers, scopeChallenge(error));
    }
  }
  return headers;
}

function format(
  error: GraphQLError,
  statusOf: (error: GraphQLError) => number,
): GraphQLFormattedError {
  const { http: _http, ...extensions } = error.extensions;
  return { ...error.toJSON(), extensions: { ...extensions, status: statusOf(error) } };
}

/** The suggestion that graphql-js appends to the message about an unknown name. */
const SUGGESTION = / Did you mean [^?]*"[^?]*\?$/;

function withoutSuggestions(error: GraphQLFormattedError): GraphQLFormattedError {
  return { ...error, message: error.message.replace(SUGGESTION, '') };
}

/** The status of a result with data and errors. Only GraphQL over HTTP defines it; IANA has not registered it. */
export const PARTIAL_SUCCESS = { status: 294, reason: 'Partial Success' } as const;

/**
 * The codes of well-formed JSON that isn't a request, or not one that can be executed. GraphQL over HTTP responds to them with
 * 422.
 */
const UNPROCESSABLE = new Set<unknown>([
  'BAD_USER_INPUT',
  'GRAPHQL_VALIDATION_FAILED',
  'OPERATION_RESOLUTION_FAILURE',
]);

/**
 * The status for application/graphql-response+json, by GraphQL over HTTP's edition of September 2026
 * (https://http-spec.graphql.org/September2026/#sec-Status-Codes): only an operation that wasn't executed has failed.
 */
function statusOfResult(result: ExecutionResult, errors: readonly GraphQLError[]): number {
  return 'data' in result ? PARTIAL_SUCCESS.status : Math.max(...errors.map(statusOfRequestError));
}

/** The status of an error that has prevented the operation's execution. */
function statusOfRequestError(error: GraphQLError): number {
  return UNPROCESSABLE.has(error.extensions['code']) ? 422 : statusOfError(error);
}

/**
 * The status for application/json, which GraphQL over HTTP keeps for older clients: 200 for well-formed requests, unless a
 * fault of the service has left no data. Retrying clients, and proxies, depend on the status.
 */
function legacyStatusOfResult(result: ExecutionResult, errors: readonly GraphQLError[]): number {
  if ('data' in result && (!errors.some(isServerFault) || hasObjects(result))) {
    return 200;
  }
  // `spec`: the request is well-formed.
  const counted = errors.filter(({ extensions }) => extensions.http?.spec !== true);
  return Math.max(200, ...counted.map(statusOfError));
}

/** The status of an error's kind. Yoga's own errors have theirs in `http`, which isn't part of the body. */
function statusOfError({ extensions }: GraphQLError): number {
  return extensions.http?.status ?? extensions.status ?? 500;
}

/** Whether an error is the service's fault: its status is 500 or more. */
function isServerFault(error: GraphQLError): boolean {
  return statusOfError(error) >= 500;
}

/**
 * Whether any root field has data. Root fields return objects and lists, except `__typename`, which is hardly ever selected
 * alone.
 */
function hasObjects({ data }: ExecutionResult): boolean {
  return Object.values(data ?? {}).some((value) => typeof value === 'object' && value !== null);
}

const YOGA_CODES = new Set<unknown>([
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
  'OPERATION_RESOLUTION_FAILURE',
]);

/**
 * Returns the error that a GraphQL client may see: errors of the closed list, and Yoga's own for documents that can't be
 * executed, are passed on; any other error becomes INTERNAL_SERVER_ERROR.
 */
export function maskError(error: unknown): GraphQLError {
  if (error instanceof GraphQLError && errorCode(error) === undefined) {
    const { code, http } = error.extensions;
    if (YOGA_CODES.has(code)) {
      return error;
    }
    // Yoga's code for a request that isn't an operation.
    if (code === 'BAD_REQUEST') {
      const kind = http?.status === 405 ? 'METHOD_NOT_ALLOWED' : 'BAD_USER_INPUT';
      const replacement = codedError(kind, error.message);
      replacement.extensions.http = { ...http };
      return replacement;
    }
  }
  return publicError(error);
}
