import type { JWTPayload, JWTHeaderParameters } from 'jose';
import { parseExactly } from '@store-gateway/ops';

/** An invalid token. `message` contains the reason, for the log only. */
export class InvalidToken extends Error {
  /** Whether the token was valid until it expired. */
  readonly hasExpired: boolean;

  constructor(reason: string, hasExpired = false) {
    super(reason);
    this.name = 'InvalidToken';
    this.hasExpired = hasExpired;
  }
}

/** The token cannot be verified: its key is unknown and the provider is unreachable. */
export class ProviderUnavailable extends Error {
  constructor() {
    super('could not fetch the key of an access token from the identity provider');
    this.name = 'ProviderUnavailable';
  }
}

/** The subject, the scopes and the claims of a valid token. */
export interface AccessToken {
  /** The provider's id for its user: 1 to 255 printable ASCII characters (`sub`). */
  readonly subject: string;
  /** The scopes that the token grants. */
  readonly scopes: ReadonlySet<string>;
  /** All claims; integers that a double would round are bigints. */
  readonly claims: unknown;
}

/**
 * OpenID Connect Core 1.0, 2: a subject is at most 255 ASCII characters. Because control characters are rejected, a subject can
 * be logged safely.
 */
const SUBJECT = /^[ -~]{1,255}$/;

/**
 * Reads the claims of a token whose signature was verified.
 *
 * @throws InvalidToken if it is not an access token, or not a bearer token
 */
export function readToken(
  token: string,
  { typ }: Readonly<Record<keyof JWTHeaderParameters, unknown>>,
  payload: JWTPayload,
): AccessToken {
  const { sub: subject } = payload;
  if (typeof subject !== 'string' || !SUBJECT.test(subject)) {
    throw new InvalidToken('sub must be 1 to 255 printable ASCII characters');
  }
  if ('cnf' in payload) {
    throw new InvalidToken(
      "it is bound to its holder's key (cnf), and a bearer token does not prove that the caller has that key",
    );
  }
  const scopes = scopesOf(payload);
  const isDeclared = isOfType(typ, 'at+jwt');
  // Most providers set typ to JWT. ID tokens have the same type, but no scopes.
  if (!isDeclared && !(scopes.size > 0 && (typ === undefined || isOfType(typ, 'jwt')))) {
    throw new InvalidToken('it is not an access token: typ is not at+jwt, and it has no scope');
  }
  return { subject, scopes, claims: claimsOf(token) };
}

/** Compares media types by RFC 7515, 4.1.9: the prefix `application/` may be omitted. */
function isOfType(typ: unknown, type: string): boolean {
  return typeof typ === 'string' && typ.toLowerCase().replace(/^application\//, '') === type;
}

/** Reads `scope` (RFC 9068, 2.2.3), or `scp`, which Okta and Microsoft send, as a list or in the format of `scope`. */
function scopesOf({ scope, scp }: JWTPayload): ReadonlySet<string> {
  const scopes = namesIn(scope);
  return scopes.size > 0 ? scopes : namesIn(scp);
}

function namesIn(claim: unknown): ReadonlySet<string> {
  const names: readonly unknown[] = typeof claim === 'string' ? claim.split(' ') : listOf(claim);
  return new Set(names.filter((name) => typeof name === 'string').filter(Boolean));
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function claimsOf(token: string): unknown {
  const [, payload = ''] = token.split('.');
  try {
    return parseExactly(Buffer.from(payload, 'base64url').toString());
  } catch {
    throw new InvalidToken('its claims are nested too deeply, or contain too many large numbers');
  }
}
