import { GraphQLError } from 'graphql';
import { codedError } from '@store-gateway/ops/errors';
import type { RemainingQuota } from './bucket.ts';
import type { RateLimit } from './rate-limit.ts';

/** The messages of TOO_MANY_REQUESTS: to a key, and to an address that sends invalid keys. */
export const LIMIT_MESSAGES = {
  key: 'Too many requests with this API key: see Retry-After for when to continue',
  address:
    'Too many requests with invalid credentials from this address: see Retry-After for when to continue',
} as const;

const headers = new WeakMap<GraphQLError, Record<string, string>>();

/** TOO_MANY_REQUESTS, to be thrown. */
export function tooManyRequests(
  whose: keyof typeof LIMIT_MESSAGES,
  limit: RateLimit,
  quota: RemainingQuota,
): Error {
  const error = codedError('TOO_MANY_REQUESTS', LIMIT_MESSAGES[whose]);
  headers.set(error, {
    'RateLimit-Policy': limit.policyField,
    RateLimit: limit.quotaField(quota),
    'Retry-After': String(quota.moreAfter),
  });
  return error;
}

/** The headers of a TOO_MANY_REQUESTS: which limit was reached, and when to retry. */
export function limitHeaders(error: unknown): Record<string, string> {
  return (error instanceof GraphQLError ? headers.get(error) : undefined) ?? {};
}
