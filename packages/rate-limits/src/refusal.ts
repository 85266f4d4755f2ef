import { GraphQLError } from 'graphql';
import { codedError } from '@gateway/errors/coded-error';
import type { RateLimit } from './rate-limit.ts';
import type { Standing } from './usage.ts';

/** What callers are told who ask for too much. */
export const LIMIT_REFUSALS = {
  key: 'Too many requests came with this API key: Retry-After tells when to go on',
  address:
    'Too many requests with invalid API keys came from this address: Retry-After tells when to go on',
} as const;

const headers = new WeakMap<GraphQLError, Record<string, string>>();

/** TOO_MANY_REQUESTS, to be thrown. */
export function tooManyRequests(
  whose: keyof typeof LIMIT_REFUSALS,
  limit: RateLimit,
  standing: Standing,
): Error {
  const error = codedError('TOO_MANY_REQUESTS', LIMIT_REFUSALS[whose]);
  headers.set(error, {
    'RateLimit-Policy': limit.policyField,
    RateLimit: limit.standingField(standing),
    'Retry-After': String(standing.moreAfter),
  });
  return error;
}

/** The headers that tell which limit was met, and when to ask again. */
export function refusalHeaders(error: unknown): Record<string, string> {
  return (error instanceof GraphQLError ? headers.get(error) : undefined) ?? {};
}
