import type { ExecutionResult, GraphQLError, GraphQLFormattedError } from 'graphql';
import { ERROR_KINDS, errorCode, retryHeaders, scopeChallenge } from '@store-gateway/ops/errors';
import { memoizeLast, requestContext, redactKeys } from '@store-gateway/ops';
import { ResultWithRows } from './execution/written-rows.ts';
import {
  isForbidden,
  isServerFault,
  legacyStatusOfResult,
  statusOfError,
  statusOfRequestError,
  statusOfResult,
} from './http-status.ts';

/** A response, ready to be sent. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON. */
  readonly body: string;
}

/**
 * The response to a result by GraphQL over HTTP: its status depends on the media type (http-status.ts).
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
    noteErrors(errors);
  }
  // A request error repeats the response's status; an error beside data has that of its kind.
  const statusOf = isLegacy || hasData ? statusOfError : statusOfRequestError;
  // Messages and paths repeat pieces of the document.
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

/** Metrics and traces count the request as failed or refused, though its status is that of a success. */
function noteErrors(errors: readonly GraphQLError[]): void {
  const request = requestContext.getStore();
  if (request === undefined) {
    return;
  }
  const fault = errors.find(isServerFault);
  if (fault !== undefined) {
    request.errorType = errorCode(fault);
  }
  if (errors.some(isForbidden)) {
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

/** What graphql-js puts behind the message of an unknown name. */
const SUGGESTION = / Did you mean [^?]*"[^?]*\?$/;

function withoutSuggestions(error: GraphQLFormattedError): GraphQLFormattedError {
  return { ...error, message: error.message.replace(SUGGESTION, '') };
}
