import { ERROR_KINDS } from '@store-gateway/ops/errors';
import { isJsonObject } from '@store-gateway/ops';
import type { Answer } from './gateway.ts';

/** Every code that a client can receive, with its status. */
const STATUSES = new Map<unknown, number>([
  ...Object.entries(ERROR_KINDS).map(([code, { status }]) => [code, status] as const),
  ['GRAPHQL_PARSE_FAILED', 400],
  ['GRAPHQL_VALIDATION_FAILED', 400],
  ['OPERATION_RESOLUTION_FAILURE', 400],
]);

/** Codes that have the status 422 in application/graphql-response+json if nothing was executed. */
const UNPROCESSABLE = new Set<unknown>([
  'BAD_USER_INPUT',
  'GRAPHQL_VALIDATION_FAILED',
  'OPERATION_RESOLUTION_FAILURE',
]);

/**
 * Returns whether an answer is a success or a well-formed client error of either API, with a code from the closed list,
 * its status and a message.
 */
export function isWellFormed({ status, text }: Pick<Answer, 'status' | 'text'>): boolean {
  const body: unknown = text === '' ? undefined : JSON.parse(text);
  if (isJsonObject(body) && Array.isArray(body['errors'])) {
    const statuses = body['errors'].map(statusOfGraphQLError);
    return [200, 294, ...statuses].includes(status) && statuses.every(isOfClient);
  }
  return status < 400 || (isOfClient(status) && statusOf(body) === status);
}

function isOfClient(status: number | undefined): boolean {
  return status !== undefined && ((status >= 400 && status < 500) || status === 501);
}

/** Returns the status in a REST error, or undefined if it is not one. Codes in `others` may also have the status 422. */
function statusOf(error: unknown, others = new Set<unknown>()): number | undefined {
  if (!isJsonObject(error) || Object.keys(error).toSorted().join() !== 'code,message,status') {
    return undefined;
  }
  const { code, message, status } = error;
  const isUsual = status === STATUSES.get(code) || (status === 422 && others.has(code));
  return typeof message === 'string' && typeof status === 'number' && isUsual ? status : undefined;
}

function statusOfGraphQLError(error: unknown): number | undefined {
  if (!isJsonObject(error) || !isJsonObject(error['extensions'])) {
    return undefined;
  }
  const { message, extensions } = error;
  const { faults, ...others } = extensions;
  // The faults' messages together make up the error's message.
  const told = Array.isArray(faults)
    ? faults
        .map((fault: unknown) => (isJsonObject(fault) ? fault['message'] : undefined))
        .join('; ')
    : message;
  return told === message ? statusOf({ message, ...others }, UNPROCESSABLE) : undefined;
}
