import { expect } from 'vitest';
import { errorBody, graphqlErrorBody } from './error-body.ts';
import type { Answer } from './gateway.ts';

const MESSAGE =
  'Too many requests with invalid credentials from this address: see Retry-After for when to continue';

/** Expects that both surfaces reject an address that has failed too often to authenticate, with these headers. */
export function expectRejectedAddress(
  { rest, graphql }: Readonly<Record<'rest' | 'graphql', Answer>>,
  limit: { readonly policy: string; readonly state: string; readonly retryAfter: string },
): void {
  expect([rest.status, rest.text, graphql.status, graphql.text]).toEqual([
    429,
    errorBody(429, 'TOO_MANY_REQUESTS', MESSAGE),
    429,
    graphqlErrorBody(429, 'TOO_MANY_REQUESTS', MESSAGE),
  ]);
  for (const { headers } of [rest, graphql]) {
    const names = ['RateLimit-Policy', 'RateLimit', 'Retry-After', 'WWW-Authenticate'];
    expect(names.map((name) => headers.get(name))).toEqual([
      limit.policy,
      limit.state,
      limit.retryAfter,
      null,
    ]);
  }
}
