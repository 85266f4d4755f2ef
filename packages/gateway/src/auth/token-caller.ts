import { hash } from 'node:crypto';
import { type Caller, UNRESTRICTED, type AccessToken } from '@store-gateway/access';
import { clientOfKey } from '@store-gateway/http/limits';

/** Makes the callers of an issuer's tokens. @param known the scopes that the store has */
export function callerOfToken(issuer: string, known: ReadonlySet<string>) {
  return ({ subject, scopes, claims }: AccessToken): Caller => {
    // No key's name, which is a number: a subject may be one, too.
    const name = `sub:${subject}`;
    return {
      ...UNRESTRICTED,
      id: idOf(issuer, subject),
      name,
      client: clientOfKey(name),
      scopes: scopes.intersection(known),
      claims,
    };
  };
}

/**
 * An id below 0, which no key has, of 63 bits of a SHA-256. That any two of a million subjects have the same has a
 * probability of 5 in 100 million.
 */
function idOf(issuer: string, subject: string): bigint {
  const digest = hash('sha256', JSON.stringify([issuer, subject]), 'buffer');
  return -(digest.readBigUInt64BE() >> 1n) - 1n;
}
