import { expect } from 'vitest';
import type { Answer } from './gateway.ts';

/** The contract's Error as the text that goes over the wire. */
export function errorBody(status: number, code: string, message: string): string {
  return JSON.stringify({ code, message, status });
}

/** The same as GraphQL tells it of a request that was refused as a whole. */
export function graphqlErrorBody(status: number, code: string, message: string): string {
  return JSON.stringify({ errors: [{ message, extensions: { code, status } }] });
}

/** What a client is told that the service has no room for. */
export const OVERLOADED = [
  503,
  'OVERLOADED',
  'The service is overloaded right now. Please try again.',
] as const;

/** The message for a body that is refused for one of its headers. */
export function wrongBody(header: 'Content-Type' | 'Content-Encoding', value = 'missing'): string {
  return `The body must be application/json in UTF-8, plain or compressed with gzip, deflate, br or zstd; its ${header} is ${value}`;
}

/** What extensions.faults tells beside a message: the inputs at fault, each by the first word of its part. */
export function faultsIn(message: string, pathOf = (name: string): string[] => [name]): object[] {
  return message.split('; ').map((part) => {
    const [name = ''] = part.split(' ');
    return { path: pathOf(name), message: part };
  });
}

/** The path of NewPet's fields, in `createPet(input:)`. */
export function pathInNewPet(name: string): string[] {
  return name === 'input' ? ['input'] : ['input', name];
}

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
