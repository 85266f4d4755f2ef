import type { GraphQLError } from 'graphql';
import { codedError } from './coded-error.ts';

declare module 'graphql' {
  interface GraphQLErrorExtensions {
    /** Of FORBIDDEN: the scopes that the caller lacks. */
    scopes?: readonly string[];
  }
}

/** FORBIDDEN, because the caller lacks scopes; at least one is given. */
export function missingScopes(scopes: readonly string[]): GraphQLError {
  const error = codedError('FORBIDDEN', `This needs the ${scopesInWords(scopes)}`);
  error.extensions.scopes = scopes;
  return error;
}

/** "scope a", or "scopes a, b and c". */
export function scopesInWords(scopes: readonly string[]): string {
  const last = scopes.at(-1) ?? '';
  const others = scopes.slice(0, -1);
  return others.length === 0 ? `scope ${last}` : `scopes ${others.join(', ')} and ${last}`;
}

/** The WWW-Authenticate header of a 403 for lack of scopes, which it names (RFC 6750, 3.1). */
export function scopeChallenge({ extensions: { scopes } }: GraphQLError): Record<string, string> {
  return scopes === undefined
    ? {}
    : { 'WWW-Authenticate': `Bearer error="insufficient_scope", scope="${scopes.join(' ')}"` };
}
