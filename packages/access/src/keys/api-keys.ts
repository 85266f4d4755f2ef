import { hash, randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import type { Scopes } from '@store-gateway/ops/errors';
import { clientOfKey } from '@store-gateway/http/limits';
import { log, redactKeysWith, type Statement, type TextRow } from '@store-gateway/ops';
import { runStatement, runWrite } from '@store-gateway/postgres';
import type { Pool } from 'pg';

/**
 * The sender of a request: the holder of a valid API key or access token, or a user whom the store itself has authenticated.
 */
export interface Caller extends Restrictions {
  /** The id of the caller's key, or a negative number for a user. */
  readonly id: bigint;
  /**
   * The caller's name in logs and limits, and its client in the fair queue. Both are computed once for all requests from the
   * caller.
   */
  readonly name: string;
  readonly client: string;
  /** The claims of the access token, or data from the store's own authentication. */
  readonly claims?: unknown;
}

/**
 * Creates a caller that is restricted only by its scopes.
 *
 * @param id the id of a key, or the negated id of a user, so that the two share neither limits nor idempotency keys
 * @param claims the claims of the user's access token
 */
export function callerOfId(id: bigint, scopes: Scopes, claims?: unknown): Caller {
  return { ...UNRESTRICTED, id, name: String(id), client: clientOfKey(id), scopes, claims };
}

/** Creates the caller for an API key. */
export function callerOfKey(id: bigint, restrictions: Restrictions): Caller {
  return { ...callerOfId(id, restrictions.scopes), ...restrictions };
}

/** Whether a caller has the named scope. */
export function hasScope({ scopes }: Pick<Caller, 'scopes'>, scope: string): boolean {
  return scopes === 'all' || scopes.has(scope);
}

/** The restrictions of an API key. */
export interface Restrictions {
  readonly scopes: Scopes;
  /** The origins whose pages may use the key; null allows any client. */
  readonly origins: readonly string[] | null;
  /** Whether the key may send only trusted documents. */
  readonly documentsOnly: boolean;
}

/** No restrictions: all scopes, any origin and any document. */
export const UNRESTRICTED: Restrictions = { scopes: 'all', origins: null, documentsOnly: false };

/** The columns that store restrictions, for `restrictionsOf`. */
const RESTRICTION_COLUMNS = 'array_to_json(scopes), array_to_json(origins), documents_only';

const HASH_PREFIX = { restricted: Buffer.of(1), unrestricted: Buffer.of() };

/**
 * Returns the prefix of a key's stored hash: empty, or the byte 1 for a restricted key. The prefix hides restricted keys from
 * earlier versions, which would ignore the restrictions.
 */
function hashPrefixOf({ scopes, origins, documentsOnly }: Restrictions): Buffer {
  const isRestricted = scopes !== 'all' || origins !== null || documentsOnly;
  return isRestricted ? HASH_PREFIX.restricted : HASH_PREFIX.unrestricted;
}

/** Returns SQL for the two forms in which a key's hash may be stored. */
function storedForms(plain: string): string {
  return `ARRAY[${plain}, '\\x01'::bytea || ${plain}]`;
}

/** Returns the values of the columns scopes, origins and documents_only. */
function columnsOf({ scopes, origins, documentsOnly }: Restrictions): readonly unknown[] {
  return [scopes === 'all' ? null : [...scopes], origins, documentsOnly];
}

/** Reads restrictions from the values of RESTRICTION_COLUMNS. */
function restrictionsOf([scopes, origins, documentsOnly]: TextRow): Restrictions {
  const names = textsOf(scopes);
  return {
    scopes: names === null ? 'all' : new Set(names),
    origins: textsOf(origins),
    documentsOnly: documentsOnly !== 'f',
  };
}

/**
 * Returns the scopes that a key with these restrictions has. Scopes that the store doesn't define, such as scopes from a later
 * version, are ignored. Keys for web pages can't write, because anyone can read them there.
 *
 * @param known the names of the store's scopes
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

/** Returns the scopes that are in both sets. */
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

/*
 * A key consists of the store's prefix, 43 base-62 digits of 256 random bits, and 6 base-62 digits of their CRC-32. The prefix
 * and the checksum let secret scanners find leaked keys without false positives, and a mistyped key is rejected without a lookup.
 */
const SECRET_DIGITS = 43;
const CHECKSUM_DIGITS = 6;
const FORMAT = new RegExp(`^([0-9A-Za-z]{${SECRET_DIGITS}})([0-9A-Za-z]{${CHECKSUM_DIGITS}})$`);
const BASE_62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Generates a key: the prefix and 49 letters and digits. */
export function generateApiKey(prefix: string): string {
  const secret = base62(BigInt(`0x${randomBytes(32).toString('hex')}`), SECRET_DIGITS);
  return prefix + secret + checksum(secret);
}

/** Whether a text has the form of a key, its checksum included. */
export function isApiKey(text: string, prefix: string): boolean {
  const [, secret, sum] = (text.startsWith(prefix) && FORMAT.exec(text.slice(prefix.length))) || [];
  return secret !== undefined && sum === checksum(secret);
}

/**
 * Returns the SHA-256 of a key, by which it is stored and looked up. 256 random bits need no salt or slow hash. Because only
 * hashes are compared, the duration of a comparison reveals nothing about the key.
 */
export function hashApiKey(key: string): Buffer<ArrayBuffer> {
  return Buffer.from(hash('sha256', key, 'buffer'));
}

function checksum(secret: string): string {
  return base62(BigInt(crc32(secret)), CHECKSUM_DIGITS);
}

function base62(value: bigint, digits: number): string {
  let text = '';
  for (let rest = value; text.length < digits; rest /= 62n) {
    text = BASE_62.charAt(Number(rest % 62n)) + text;
  }
  return text;
}

/** A stored key, without its hash. */
export interface KeyRecord {
  readonly id: bigint;
  readonly name: string;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  readonly restrictions: Restrictions;
}

/** The database access for creating and changing keys. */
export interface KeyDatabase {
  /** The prefix of all API keys of the store. */
  readonly $keyPrefix: string;
  /** Executes a statement on the primary, and resolves to its rows as text. */
  readonly $write: (
    statement: Statement,
    values?: readonly unknown[],
  ) => Promise<readonly TextRow[]>;
}

const CREATE = {
  name: 'create-key',
  text: `
    INSERT INTO _gateway_api_keys (name, hash, expires_at, scopes, origins, documents_only)
    VALUES ($1, $2, $3, $4, $5, $6)`,
};

const LIST = {
  name: 'list-keys',
  text: `
    SELECT id, name, ${['created_at', 'expires_at', 'revoked_at'].map(inMilliseconds).join(', ')},
      ${RESTRICTION_COLUMNS}
    FROM _gateway_api_keys ORDER BY id`,
};

const REVOKE = {
  name: 'revoke-key',
  text: 'UPDATE _gateway_api_keys SET revoked_at = now() WHERE id = $1 AND revoked_at IS NULL RETURNING id',
};

/**
 * Changes a key's restrictions. Of two concurrent changes, the second matches no row, because the restrictions have changed
 * since they were read.
 */
const RESTRICT = {
  name: 'restrict-key',
  text: `
    UPDATE _gateway_api_keys SET scopes = $2, origins = $3, documents_only = $4,
      hash = $5::bytea || substr(hash, length(hash) - 31)
    WHERE id = $1 AND revoked_at IS NULL
      AND (scopes, origins, documents_only) IS NOT DISTINCT FROM ($6::text[], $7::text[], $8::boolean)
    RETURNING id`,
};

/**
 * Replaces a key. Of two concurrent rotations, the second waits for the first and sees its outcome. The lock is FOR NO KEY
 * UPDATE, so that creates can still reference the key.
 */
const ROTATE = {
  name: 'rotate-key',
  text: `
    WITH old AS (
      SELECT * FROM _gateway_api_keys
      WHERE id = $1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())
      FOR NO KEY UPDATE
    ), replaced AS (
      UPDATE _gateway_api_keys SET
        revoked_at = CASE WHEN $3 = 0 THEN now() END,
        expires_at = CASE
          WHEN $3 = 0 THEN old.expires_at
          ELSE least(old.expires_at, now() + $3 * interval '1 millisecond')
        END
      FROM old WHERE _gateway_api_keys.id = old.id
    )
    INSERT INTO _gateway_api_keys (name, hash, expires_at, scopes, origins, documents_only)
    SELECT name, substr(hash, 1, length(hash) - 32) || $2, now() + (expires_at - created_at),
      scopes, origins, documents_only
    FROM old
    RETURNING id`,
};

/** Creates a key and returns it. Only its hash is stored. */
export async function createKey(
  { $write, $keyPrefix }: KeyDatabase,
  name: string,
  expiresAt: Date | null,
  restrictions: Restrictions = UNRESTRICTED,
): Promise<string> {
  const key = generateApiKey($keyPrefix);
  const stored = Buffer.concat([hashPrefixOf(restrictions), hashApiKey(key)]);
  await $write(CREATE, [name, stored, expiresAt, ...columnsOf(restrictions)]);
  return key;
}

/** Returns the records of all the store's keys, including expired and revoked ones. */
export async function listKeys({ $write }: KeyDatabase): Promise<KeyRecord[]> {
  return (await $write(LIST)).map(keyRecord);
}

/** Revokes a key permanently. @returns false if there was no such key, or it was revoked already */
export async function revokeKey({ $write }: KeyDatabase, id: bigint): Promise<boolean> {
  return (await $write(REVOKE, [id])).length > 0;
}

/**
 * Changes a key's restrictions, unless they have changed since the key was listed.
 *
 * @returns false if they have changed, or the key is revoked
 */
export async function restrictKey(
  { $write }: KeyDatabase,
  { id, restrictions }: Pick<KeyRecord, 'id' | 'restrictions'>,
  changed: Restrictions,
): Promise<boolean> {
  const values = [id, ...columnsOf(changed), hashPrefixOf(changed), ...columnsOf(restrictions)];
  return (await $write(RESTRICT, values)).length > 0;
}

/**
 * Replaces a key with a new one of the same name, lifetime and restrictions. The old key is revoked, or expires after the grace
 * period.
 *
 * @returns the new key, or undefined if there is no such valid key
 */
export async function rotateKey(
  { $write, $keyPrefix }: KeyDatabase,
  id: bigint,
  graceMilliseconds: number,
): Promise<string | undefined> {
  const key = generateApiKey($keyPrefix);
  const created = await $write(ROTATE, [id, hashApiKey(key), graceMilliseconds]);
  return created.length === 0 ? undefined : key;
}

function inMilliseconds(column: string): string {
  return `(extract(epoch FROM ${column}) * 1000)::bigint`;
}

function keyRecord(row: TextRow): KeyRecord {
  const [id, name, createdAt, expiresAt, revokedAt, ...restrictions] = row;
  return {
    id: BigInt(id ?? ''),
    name: name ?? '',
    createdAt: new Date(Number(createdAt)),
    expiresAt: date(expiresAt),
    revokedAt: date(revokedAt),
    restrictions: restrictionsOf(restrictions),
  };
}

function date(milliseconds: string | null | undefined): Date | null {
  return milliseconds == null ? null : new Date(Number(milliseconds));
}

/**
 * Returns access to the database in which keys are created, changed and looked up. From now on, the log redacts keys
 * with this prefix.
 *
 * @param pool connects to a PostgreSQL that has the table `_gateway_api_keys`
 * @param prefix the first characters of every key, such as `books_`
 */
export function keyDatabase(pool: Pool, prefix: string): KeyLookups & KeyDatabase {
  redactKeysWith(prefix);
  return {
    $keyPool: pool,
    $keyPrefix: prefix,
    $write: (statement, values = []) => runWrite(pool, statement, values),
  };
}

/** The database access for key lookups. It doesn't load Prisma's engine. */
export interface KeyLookups {
  readonly $keyPool: Pool;
  /** The prefix of all API keys of the store. */
  readonly $keyPrefix: string;
}

/** A key that was found by its hash, expired or not. */
interface FoundKey {
  readonly id: bigint;
  /**
   * Milliseconds from the lookup until the key expires, measured by the database's clock, because processes' clocks may differ.
   */
  readonly expiresIn: number | null;
  /** The time at which the key expires, for messages; null if the key never expires. */
  readonly expiresAt: Date | null;
  readonly restrictions: Restrictions;
}

const FIND_BY_HASH = {
  name: 'find-key-by-hash',
  text: `
    SELECT id, (extract(epoch FROM expires_at - now()) * 1000)::bigint,
      (extract(epoch FROM expires_at) * 1000)::bigint, ${RESTRICTION_COLUMNS}
    FROM _gateway_api_keys WHERE hash = ANY (${storedForms('$1::bytea')}) AND revoked_at IS NULL`,
};

const FIND_BY_HASHES = {
  name: 'find-keys-by-hashes',
  text: `
    SELECT number - 1, id FROM unnest($1::bytea[]) WITH ORDINALITY AS asked (hash, number)
    JOIN _gateway_api_keys ON _gateway_api_keys.hash = ANY (${storedForms('asked.hash')})
    WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())`,
};

/** Finds a key that has not been revoked; it may have expired. */
export async function findKey(
  { $keyPool }: KeyLookups,
  key: string,
): Promise<FoundKey | undefined> {
  const [row] = await runStatement($keyPool, FIND_BY_HASH, [hashApiKey(key)]);
  if (row === undefined) {
    return undefined;
  }
  const [id, expiresIn, expiresAt, ...restrictions] = row;
  return {
    id: BigInt(id ?? ''),
    expiresIn: expiresIn == null ? null : Number(expiresIn),
    expiresAt: expiresAt == null ? null : new Date(Number(expiresAt)),
    restrictions: restrictionsOf(restrictions),
  };
}

/** Finds the valid keys among several, and returns them with their ids. */
export async function findValidKeys(
  { $keyPool }: KeyLookups,
  keys: readonly string[],
): Promise<readonly (readonly [key: string, id: bigint])[]> {
  const rows = await runStatement($keyPool, FIND_BY_HASHES, [keys.map(hashApiKey)]);
  return rows.map(([index, id]) => [keys[Number(index)] ?? '', BigInt(id ?? '')]);
}

const RETRY_INTERVAL_MS = 1000;

const FIND_ANY = { name: 'find-any-key', text: 'SELECT id FROM _gateway_api_keys LIMIT 1' };

/**
 * Returns the SQL that creates the first key if there is none. It is sent as one message, so it is one transaction.
 *
 * @param keyHash the hash of a key; its digits need no quoting
 */
const createFirst = (keyHash: Buffer): string => `
  LOCK TABLE _gateway_api_keys IN SHARE ROW EXCLUSIVE MODE;
  INSERT INTO _gateway_api_keys (name, hash)
  SELECT 'first', '\\x${keyHash.toString('hex')}' WHERE NOT EXISTS (SELECT FROM _gateway_api_keys)`;

/**
 * Creates the store's first key, unless the store has a key. While the database is unavailable, it retries until `stopped`,
 * because the process already serves requests.
 *
 * @returns the key, if this process has created it
 */
export async function ensureFirstKey(
  database: KeyLookups,
  stopped: AbortSignal,
  retryIntervalMs = RETRY_INTERVAL_MS,
): Promise<string | undefined> {
  let isLogged = false;
  while (!stopped.aborted) {
    try {
      return await createFirstKey(database);
    } catch (error) {
      if (!isLogged) {
        log.warn(
          { err: error },
          'could not check whether the store needs its first key; will try again',
        );
      }
      isLogged = true;
    }
    await pause(retryIntervalMs, undefined, { signal: stopped }).catch(() => undefined);
  }
  return undefined;
}

/** Creates a key unless the store has one, even a revoked one. If several processes start at once, only one creates it. */
async function createFirstKey(database: KeyLookups): Promise<string | undefined> {
  const { $keyPool, $keyPrefix } = database;
  if ((await runStatement($keyPool, FIND_ANY, [])).length > 0) {
    return undefined;
  }
  const key = generateApiKey($keyPrefix);
  await $keyPool.query(createFirst(hashApiKey(key)));
  return (await findKey(database, key)) === undefined ? undefined : key;
}
