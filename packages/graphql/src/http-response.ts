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

/** A response that is ready to be sent. */
interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The body, as JSON. */
  readonly body: string;
}

/**
 * Returns the HTTP response for a result, according to GraphQL over HTTP. Its status depends on the media type.
 *
 * @param suggests whether error messages may suggest names from the schema; defaults to true
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
  // A request error has the response's status. An error alongside data has the status of its kind.
  const statusOf = isLegacy || hasData ? statusOfError : statusOfRequestError;
  // Messages and paths may repeat parts of the document, so API keys are redacted.
  const formatted = errors.map((error) => format(error, statusOf));
  const told = suggests ? formatted : formatted.map(withoutSuggestions);
  const errorsText = redactKeys(JSON.stringify(told));
  const body = hasData
    ? `{"errors":${errorsText},"data":${JSON.stringify(data)}}`
    : `{"errors":${errorsText}}`;
  return { status, headers: isLegacy && hasData ? {} : headersOf(errors, status), body };
}

/** Serializes a result. Coalesced requests share a result, which is serialized once. */
const serialize = memoizeLast((result: ExecutionResult) =>
  result instanceof ResultWithRows ? result.toText() : JSON.stringify(result),
);

/** Marks the request as failed or forbidden for metrics and traces, even if its status reports success. */
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

/** Matches the suggestion that graphql-js appends to a message about an unknown name. */
const SUGGESTION = / Did you mean [^?]*"[^?]*\?$/;

function withoutSuggestions(error: GraphQLFormattedError): GraphQLFormattedError {
  return { ...error, message: error.message.replace(SUGGESTION, '') };
}

/** The status of a result with data and errors. It is defined only by GraphQL over HTTP, not registered with IANA. */
export const PARTIAL_SUCCESS = { status: 294, reason: 'Partial Success' } as const;

/**
 * Codes of errors for well-formed JSON that isn't a GraphQL request, or is one that can't be executed. GraphQL over HTTP defines
 * status 422 for them.
 */
const UNPROCESSABLE = new Set<unknown>([
  'BAD_USER_INPUT',
  'GRAPHQL_VALIDATION_FAILED',
  'OPERATION_RESOLUTION_FAILURE',
]);

/**
 * Returns the status for application/graphql-response+json, as defined by the September 2026 edition of GraphQL over HTTP
 * (https://http-spec.graphql.org/September2026/#sec-Status-Codes): only operations that weren't executed have failed.
 */
function statusOfResult(result: ExecutionResult, errors: readonly GraphQLError[]): number {
  return 'data' in result ? PARTIAL_SUCCESS.status : Math.max(...errors.map(statusOfRequestError));
}

/** Returns the status of an error that prevented the operation from being executed. */
function statusOfRequestError(error: GraphQLError): number {
  return UNPROCESSABLE.has(error.extensions['code']) ? 422 : statusOfError(error);
}

/**
 * Returns the status for application/json, which GraphQL over HTTP still allows for older clients: 200 for well-formed requests,
 * unless a fault in the service has left no data. Proxies, and clients that retry, depend on the status.
 */
function legacyStatusOfResult(result: ExecutionResult, errors: readonly GraphQLError[]): number {
  if ('data' in result && (!errors.some(isServerFault) || hasObjects(result))) {
    return 200;
  }
  // `spec` marks a well-formed request.
  const counted = errors.filter(({ extensions }) => extensions.http?.spec !== true);
  return Math.max(200, ...counted.map(statusOfError));
}

/** Returns the status of an error's kind. Yoga's own errors have their status in `http`, which isn't part of the body. */
function statusOfError({ extensions }: GraphQLError): number {
  return extensions.http?.status ?? extensions.status ?? 500;
}

/** Whether the service is at fault for an error, because its status is 500 or more. */
function isServerFault(error: GraphQLError): boolean {
  return statusOfError(error) >= 500;
}

/**
 * Whether any root field has data. All root fields return objects and lists, except `__typename`, which is hardly ever selected
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
 * Returns the error that a GraphQL client may see. Coded errors, and Yoga's own errors for documents that can't be executed, are
 * returned unchanged. Any other error becomes INTERNAL_SERVER_ERROR.
 */
export function maskError(error: unknown): GraphQLError {
  if (error instanceof GraphQLError && errorCode(error) === undefined) {
    const { code, http } = error.extensions;
    if (YOGA_CODES.has(code)) {
      return error;
    }
    // Yoga's code for a request that contains no operation.
    if (code === 'BAD_REQUEST') {
      const kind = http?.status === 405 ? 'METHOD_NOT_ALLOWED' : 'BAD_USER_INPUT';
      const replacement = codedError(kind, error.message);
      replacement.extensions.http = { ...http };
      return replacement;
    }
  }
  return publicError(error);
}
