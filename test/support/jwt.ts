import { createHmac, KeyObject, sign } from 'node:crypto';
import type { CryptoKey } from 'jose';

const part = (text: string) => Buffer.from(text).toString('base64url');

/** A JWT of any header and claims, which may be no JSON. @param signature of its first two parts */
export function jwtOf(
  header: object,
  claims: object | string,
  signature: (signed: string) => string,
): string {
  const text = typeof claims === 'string' ? claims : JSON.stringify(claims);
  const signed = `${part(JSON.stringify(header))}.${part(text)}`;
  return `${signed}.${signature(signed)}`;
}

/** Signs as ES256 or RS256, by the kind of the key. */
export const signedBy = (key: CryptoKey) => (signed: string) =>
  sign('sha256', Buffer.from(signed), {
    key: KeyObject.from(key),
    dsaEncoding: 'ieee-p1363',
  }).toString('base64url');

/** Signs as HS256. */
export const authenticatedBy = (secret: string) => (signed: string) =>
  createHmac('sha256', secret).update(signed).digest('base64url');
