import type { Scopes } from '@store-gateway/ops/errors';
import { clientOfKey } from '@store-gateway/http/limits';
import type { TextRow } from '@store-gateway/ops';

/** The sender of a request: the holder of a valid API key or access token, or a store's own user. */
export interface Caller extends Restrictions {
  /** The id of the key; below 0 for a user. */
  readonly id: bigint;
  /** The id in logs and limits, and as a client of the fair queue. Both are made once for all of the caller's requests. */
  readonly name: string;
  readonly client: string;
  /** Data about a user from the store's own authentication, or the claims of an access token. */
  readonly claims?: unknown;
}

/**
 * A caller without restrictions beyond its scopes.
 *
 * @param id of a key, or negated that of a user, so that they share no limits and idempotency keys
 * @param claims of the user's access token
 */
export function callerOfId(id: bigint, scopes: Scopes, claims?: unknown): Caller {
  return { ...UNRESTRICTED, id, name: String(id), client: clientOfKey(id), scopes, claims };
}

/** The holder of a key. */
export function callerOfKey(id: bigint, restrictions: Restrictions): Caller {
  return { ...callerOfId(id, restrictions.scopes), ...restrictions };
}

/** Whether a caller has the scope of this name. */
export function hasScope({ scopes }: Pick<Caller, 'scopes'>, scope: string): boolean {
  return scopes === 'all' || scopes.has(scope);
}

/** The restrictions of an API key. */
export interface Restrictions {
  readonly scopes: Scopes;
  /** The origins whose pages may use the key; null allows any client. */
  readonly origins: readonly string[] | null;
  /** Whether it may send only trusted documents. */
  readonly documentsOnly: boolean;
}

/** All scopes, any origin, any document. */
export const UNRESTRICTED: Restrictions = { scopes: 'all', origins: null, documentsOnly: false };

/** The columns of restrictions, for `restrictionsOf`. */
export const RESTRICTION_COLUMNS = 'array_to_json(scopes), array_to_json(origins), documents_only';

const HASH_PREFIX = { restricted: Buffer.of(1), unrestricted: Buffer.of() };

/**
 * The prefix of a key's hash in its row: empty, or the byte 1 if the key is restricted. Versions without restrictions would
 * allow such a key everything, so the prefix keeps them from finding it.
 */
export function hashPrefixOf({ scopes, origins, documentsOnly }: Restrictions): Buffer {
  const isRestricted = scopes !== 'all' || origins !== null || documentsOnly;
  return isRestricted ? HASH_PREFIX.restricted : HASH_PREFIX.unrestricted;
}

/** SQL for both forms of a key's hash in its row. */
export function storedForms(hash: string): string {
  return `ARRAY[${hash}, '\\x01'::bytea || ${hash}]`;
}

/** The values of the columns scopes, origins and documents_only. */
export function columnsOf({ scopes, origins, documentsOnly }: Restrictions): readonly unknown[] {
  return [scopes === 'all' ? null : [...scopes], origins, documentsOnly];
}

/** Reads restrictions from the values of RESTRICTION_COLUMNS. */
export function restrictionsOf([scopes, origins, documentsOnly]: TextRow): Restrictions {
  const names = textsOf(scopes);
  return {
    scopes: names === null ? 'all' : new Set(names),
    origins: textsOf(origins),
    documentsOnly: documentsOnly !== 'f',
  };
}

/**
 * Returns the scopes that a key with these restrictions has. Scopes that the store doesn't define, such as those of a newer
 * version, are ignored. Keys of web pages never write, because anyone can read them there.
 *
 * @param known names of the store's scopes
 */
export function scopesWithin(
  { scopes, origins }: Restrictions,
  known: ReadonlySet<string>,
): Scopes {
  if (origins === null) {
    return scopes === 'all' ? 'all' : scopes.intersection(known);
  }
  const names = scopes === 'all' ? new Set(['read']) : scopes.intersection(known);
  return names.difference(new Set(['write']));
}

/** Returns the scopes that both have. */
export function commonScopes(one: Scopes, other: Scopes): Scopes {
  if (one === 'all' || other === 'all') {
    return one === 'all' ? other : one;
  }
  return one.intersection(other);
}

function textsOf(json: string | null | undefined): readonly string[] | null {
  const texts: unknown = JSON.parse(json ?? 'null');
  return Array.isArray(texts) ? texts.filter((text) => typeof text === 'string') : null;
}
