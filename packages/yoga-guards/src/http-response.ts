import type { ExecutionResult, GraphQLError, GraphQLFormattedError } from 'graphql';
import { errorCode, retryHeaders } from '@gateway/errors/coded-error';
import { memoizeLast } from '@gateway/coalescing/memoize-last';
import { redactKeys } from '@gateway/log/redact-keys';

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON. */
  readonly body: string;
}

/**
 * A result by the rules of GraphQL over HTTP
 * (https://graphql.github.io/graphql-over-http/draft/#sec-Status-Codes): one with data is 200 whatever
 * else went wrong, one without has its error's status. Resolvers know nothing of this.
 */
export function httpAnswer(result: ExecutionResult, mediaType: string): HttpAnswer {
  const { errors, data } = result;
  if (errors === undefined) {
    return { status: 200, headers: {}, body: textOf(result) };
  }
  // Messages and paths repeat pieces of the document.
  const told = redactKeys(JSON.stringify(errors.map(tell)));
  // If through a fault of ours nothing was got, the request as a whole failed, and its status is to say
  // so to proxies, and to clients that try again.
  const failed = errors.some((error) => statusOf(error) >= 500);
  if ('data' in result && (!failed || hasData(result))) {
    return { status: 200, headers: {}, body: `{"errors":${told},"data":${JSON.stringify(data)}}` };
  }
  return {
    status: Math.max(200, ...errors.filter((error) => isCounted(error, mediaType)).map(statusOf)),
    headers: headersOf(errors),
    body: `{"errors":${told}}`,
  };
}

/** What is shared is written once. */
const textOf = memoizeLast((result: ExecutionResult) => JSON.stringify(result));

/** Fields of Query and Mutation tell objects and lists, but for `__typename`, which nobody asks for alone. */
function hasData({ data }: ExecutionResult): boolean {
  return data != null && Object.values(data).some(isObject);
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

/** Yoga's own errors come with an HTTP status, but without telling it in the body. */
function statusOf({ extensions }: GraphQLError): number {
  return extensions.http?.status ?? extensions.status ?? 500;
}

function tell(error: GraphQLError): GraphQLFormattedError {
  const { http: _http, ...extensions } = error.extensions;
  return {
    ...error.toJSON(),
    extensions: { ...extensions, status: extensions.status ?? statusOf(error) },
  };
}

/**
 * Whether an error counts for the status: not that of a well-formed request (`spec`) to a client that
 * asks for application/json, which knows of no other than 200.
 */
function isCounted({ extensions }: GraphQLError, mediaType: string): boolean {
  return !(mediaType.startsWith('application/json') && extensions.http?.spec === true);
}

function headersOf(errors: readonly GraphQLError[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const error of errors) {
    Object.assign(headers, error.extensions.http?.headers, retryHeaders(errorCode(error)));
  }
  return headers;
}
