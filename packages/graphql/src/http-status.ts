import type { ExecutionResult, GraphQLError } from 'graphql';

/** The errors of a result. */
type Errors = readonly GraphQLError[];

/** A result with data and errors, by GraphQL over HTTP alone: IANA has no such status. */
export const PARTIAL_SUCCESS = { status: 294, reason: 'Partial Success' } as const;

/** The codes of well-formed JSON that is no request, or one that can't be executed. Only HTTP calls them 422. */
const UNPROCESSABLE = new Set<unknown>([
  'BAD_USER_INPUT',
  'GRAPHQL_VALIDATION_FAILED',
  'OPERATION_RESOLUTION_FAILURE',
]);

/**
 * The statuses of application/graphql-response+json, by GraphQL over HTTP's edition of September 2026
 * (https://http-spec.graphql.org/September2026/#sec-Status-Codes): only an operation that wasn't executed fails.
 */
export function statusOfResult(result: ExecutionResult, errors: Errors): number {
  return 'data' in result ? PARTIAL_SUCCESS.status : Math.max(...errors.map(statusOfRequestError));
}

/** The status of an error without which the operation would have been executed. */
export function statusOfRequestError(error: GraphQLError): number {
  return UNPROCESSABLE.has(error.extensions['code']) ? 422 : statusOfError(error);
}

/**
 * The statuses of application/json, which GraphQL over HTTP leaves to clients that came before it: 200 for well-formed
 * requests, unless a fault of the service has left no data. Clients that retry, and proxies, go by the status.
 */
export function legacyStatusOfResult(result: ExecutionResult, errors: Errors): number {
  if ('data' in result && (!errors.some(isServerFault) || hasData(result))) {
    return 200;
  }
  // `spec`: the request is well-formed.
  const counted = errors.filter(({ extensions }) => extensions.http?.spec !== true);
  return Math.max(200, ...counted.map(statusOfError));
}

/** The status of an error's kind. Yoga's own errors have one, but not as a member of the body. */
export function statusOfError({ extensions }: GraphQLError): number {
  return extensions.http?.status ?? extensions.status ?? 500;
}

/** Whether an error is the service's fault: its status is 500 or more. */
export function isServerFault(error: GraphQLError): boolean {
  return statusOfError(error) >= 500;
}

/** Whether the caller has no right to what it asked for. */
export function isForbidden(error: GraphQLError): boolean {
  return statusOfError(error) === 403;
}

/** Root fields return objects and lists, except `__typename`, which is hardly ever selected alone. */
function hasData({ data }: ExecutionResult): boolean {
  return Object.values(data ?? {}).some((value) => typeof value === 'object' && value !== null);
}
