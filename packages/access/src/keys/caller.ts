import type { Scopes } from '@store-gateway/ops/errors';
import { clientOfKey } from '@store-gateway/http/limits';
import type { TextRow } from '@store-gateway/ops';

/** Who sends a request: the holder of a valid API key or access token, or a user of the store's own. */
export interface Caller extends Restrictions {
  /** The id of the key; below 0, that of a user. */
  readonly id: bigint;
  /** The same in logs and limits, and as a client of the fair queue: written once, for all of its requests. */
  readonly name: string;
  readonly client: string;
  /** What the store's own authentication says of a user, or the claims of an access token. */
  readonly claims?: unknown;
}

/**
 * A caller without restrictions beyond its scopes.
 *
 * @param id of a key; of a user, negated: so neither meets the other's limits and idempotency keys
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

/** What an API key is restricted to. */
export interface Restrictions {
  readonly scopes: Scopes;
  /** The only origins whose pages may use it; null is any client. */
  readonly origins: readonly string[] | null;
  /** Whether it may send nothing but trusted documents. */
  readonly documentsOnly: boolean;
}

/** All scopes, any origin, any document. */
export const UNRESTRICTED: Restrictions = { scopes: 'all', origins: null, documentsOnly: false };

/** The columns of restrictions, for `restrictionsOf`. */
export const RESTRICTION_COLUMNS = 'array_to_json(scopes), array_to_json(origins), documents_only';

const HASH_PREFIX = { restricted: Buffer.of(1), unrestricted: Buffer.of() };

/**
 * What precedes the hash of a key in its row: nothing, or the byte 1 if it is restricted, as processes of versions without
 * restrictions would let it do everything, and don't find it so.
 */
export function hashPrefixOf({ scopes, origins, documentsOnly }: Restrictions): Buffer {
  const isRestricted = scopes !== 'all' || origins !== null || documentsOnly;
  return isRestricted ? HASH_PREFIX.restricted : HASH_PREFIX.unrestricted;
}

/** SQL for both forms in which the hash of a key may be in its row. */
export function storedForms(hash: string): string {
  return `ARRAY[${hash}, '\\x01'::bytea || ${hash}]`;
}

/** The values of the three columns. */
export function columnsOf({ scopes, origins, documentsOnly }: Restrictions): readonly unknown[] {
  return [scopes === 'all' ? null : [...scopes], origins, documentsOnly];
}

/** The restrictions that a row has in the columns of RESTRICTION_COLUMNS, in their order. */
export function restrictionsOf([scopes, origins, documentsOnly]: TextRow): Restrictions {
  const names = textsOf(scopes);
  return {
    scopes: names === null ? 'all' : new Set(names),
    origins: textsOf(origins),
    documentsOnly: documentsOnly !== 'f',
  };
}

/**
 * The scopes that a key with these restrictions has: names that the store hasn't, such as those of a newer version, give
 * nothing, and keys of web pages, which anyone can read there, never write.
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

/** The scopes that are in both. */
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
