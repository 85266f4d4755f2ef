import { ERROR_KINDS } from '@gateway/errors/coded-error';
import { isJsonObject } from '@gateway/exact-json/json';
import type { Answer } from './gateway.ts';

/** Every code that a client can meet, with its status. */
const STATUSES = new Map<unknown, number>([
  ...Object.entries(ERROR_KINDS).map(([code, { status }]) => [code, status] as const),
  ['GRAPHQL_PARSE_FAILED', 400],
  ['GRAPHQL_VALIDATION_FAILED', 400],
  ['OPERATION_RESOLUTION_FAILURE', 400],
]);

/**
 * Whether an answer is a success, or refuses what the client did wrong in the form of either surface:
 * with a code of the closed list, its status, and a message.
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
  return status !== undefined && status >= 400 && status < 500;
}

/** The status that an error of REST tells, if it is one. */
function statusOf(error: unknown): number | undefined {
  if (!isJsonObject(error) || Object.keys(error).toSorted().join() !== 'code,message,status') {
    return undefined;
  }
  const status = STATUSES.get(error['code']);
  return typeof error['message'] === 'string' && error['status'] === status ? status : undefined;
}

function statusOfGraphQLError(error: unknown): number | undefined {
  if (!isJsonObject(error) || !isJsonObject(error['extensions'])) {
    return undefined;
  }
  const { message, extensions } = error;
  const { faults, ...others } = extensions;
  // Each fault's message is a part of the error's.
  const told = Array.isArray(faults)
    ? faults
        .map((fault: unknown) => (isJsonObject(fault) ? fault['message'] : undefined))
        .join('; ')
    : message;
  return told === message ? statusOf({ message, ...others }) : undefined;
}
