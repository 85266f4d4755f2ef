import { expect } from 'vitest';
import type { Answer } from './gateway.ts';

/** Returns the contract's Error as JSON text. */
export function errorBody(status: number, code: string, message: string): string {
  return JSON.stringify({ code, message, status });
}

/** Returns the GraphQL response to a request that was rejected as a whole. */
export function graphqlErrorBody(status: number, code: string, message: string): string {
  return JSON.stringify({ errors: [{ message, extensions: { code, status } }] });
}

/** The response when the service has no capacity for a request. */
export const OVERLOADED = [
  503,
  'OVERLOADED',
  'The service is overloaded right now. Please try again.',
] as const;

/** Returns the message for a body that is rejected because of one of its headers. */
export function wrongBody(header: 'Content-Type' | 'Content-Encoding', value = 'missing'): string {
  return `The body must be application/json in UTF-8, plain or compressed with gzip, deflate, br or zstd; its ${header} is ${value}`;
}

/** Returns extensions.faults for a message: the inputs at fault, each named by the first word of its part of the message. */
export function faultsIn(message: string, pathOf = (name: string): string[] => [name]): object[] {
  return message.split('; ').map((part) => {
    const [name = ''] = part.split(' ');
    return { path: pathOf(name), message: part };
  });
}

/** Returns the path of a NewPet field in `createPet(input:)`. */
export function pathInNewPet(name: string): string[] {
  return name === 'input' ? ['input'] : ['input', name];
}

const MESSAGE =
  'Too many requests with invalid credentials from this address: see Retry-After for when to continue';

/** Expects that both APIs reject an address with too many failed authentications, with these headers. */
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
