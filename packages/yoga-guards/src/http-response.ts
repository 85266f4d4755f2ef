import type { ExecutionResult, GraphQLError, GraphQLFormattedError } from 'graphql';
import { errorCode, retryHeaders } from '@gateway/errors/coded-error';
import { memoizeLast } from '@gateway/coalescing/memoize-last';
import { redactKeys } from '@gateway/log/redact-keys';

export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON. */
  readonly body: string;
}

/**
 * The response to a result by GraphQL over HTTP (https://graphql.github.io/graphql-over-http/draft/#sec-Status-Codes): with
 * data it is 200 whatever else failed, without data it has the error's status.
 */
export function httpResponse(result: ExecutionResult, mediaType: string): HttpResponse {
  const { errors, data } = result;
  if (errors === undefined) {
    return { status: 200, headers: {}, body: serialize(result) };
  }
  // Messages and paths repeat pieces of the document.
  const errorsText = redactKeys(JSON.stringify(errors.map(format)));
  // If a fault of the server left no data, the status says so to proxies and to clients that retry.
  const isServerFault = errors.some((error) => statusOf(error) >= 500);
  if ('data' in result && (!isServerFault || hasData(result))) {
    const body = `{"errors":${errorsText},"data":${JSON.stringify(data)}}`;
    return { status: 200, headers: {}, body };
  }
  // A client that asks for application/json knows no other status than 200 for well-formed requests (`spec`).
  const counted = mediaType.startsWith('application/json')
    ? errors.filter(({ extensions }) => extensions.http?.spec !== true)
    : errors;
  const headers: Record<string, string> = {};
  for (const error of errors) {
    Object.assign(headers, error.extensions.http?.headers, retryHeaders(errorCode(error)));
  }
  return {
    status: Math.max(200, ...counted.map(statusOf)),
    headers,
    body: `{"errors":${errorsText}}`,
  };
}

/** Coalesced results are serialized once. */
const serialize = memoizeLast((result: ExecutionResult) => JSON.stringify(result));

/** Root fields return objects and lists, but for `__typename`, which is hardly ever selected alone. */
function hasData({ data }: ExecutionResult): boolean {
  return Object.values(data ?? {}).some((value) => typeof value === 'object' && value !== null);
}

/** Yoga's own errors have an HTTP status, but not as a member of the body. */
function statusOf({ extensions }: GraphQLError): number {
  return extensions.http?.status ?? extensions.status ?? 500;
}

function format(error: GraphQLError): GraphQLFormattedError {
  const { http: _http, ...extensions } = error.extensions;
  const status = extensions.status ?? statusOf(error);
  return { ...error.toJSON(), extensions: { ...extensions, status } };
}
