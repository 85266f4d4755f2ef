import type { PrismaClientLike } from '../definition.ts';
import { isJsonObject } from '@store-gateway/ops';

/**
 * Extends a client by what adds only members to its types.
 *
 * @throws TypeError if what Prisma returns is no such client
 */
export function extended<Client extends PrismaClientLike, Members extends object>(
  client: Client,
  extension: object,
  members: Members,
): Client & Members {
  const result: unknown = client.$extends(extension);
  if (!isExtended(client, members, result)) {
    throw new TypeError("Prisma's $extends returned something other than a client");
  }
  return result;
}

function isExtended<Client extends PrismaClientLike, Members extends object>(
  _client: Client,
  members: Members,
  result: unknown,
): result is Client & Members {
  const names = ['$extends', '$transaction', ...Object.keys(members)];
  return result instanceof Object && names.every((name) => name in result);
}

/** Prisma's conditions that a text matches a pattern. */
const PATTERNS = new Set(['contains', 'startsWith', 'endsWith']);

/** Of the transaction alone. Sessions plan for any values, as prepared statements have to be good for all. */
export const PLAN_BY_VALUE = 'SET LOCAL plan_cache_mode = force_custom_plan';

/**
 * Whether a call reads rows by a pattern: for a rare one an index of trigrams is best, for a common one the index of the
 * order. A plan for any pattern would read a whole table for a rare one.
 */
export function isPlannedByValue(operation: string, args: unknown): boolean {
  const isRead = operation.startsWith('find') || operation === 'count';
  return isRead && isJsonObject(args) && hasPattern(args['where']);
}

function hasPattern(condition: unknown): boolean {
  if (Array.isArray(condition)) {
    return condition.some(hasPattern);
  }
  return (
    isJsonObject(condition) &&
    Object.entries(condition).some(([name, value]) => PATTERNS.has(name) || hasPattern(value))
  );
}
