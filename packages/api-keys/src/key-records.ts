import type { Statement, TextRow } from '@gateway/batched-prisma/statement';
import { generateApiKey, hashApiKey } from './api-key.ts';

/** All that is stored of a key but its hash. */
export interface KeyRecord {
  readonly id: bigint;
  readonly name: string;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
}

/** What keys are created and changed in. */
export interface KeyDatabase {
  /** What begins each key of the store. */
  readonly $keyPrefix: string;
  readonly $write: (
    statement: Statement,
    values?: readonly unknown[],
  ) => Promise<readonly TextRow[]>;
}

const CREATE = {
  name: 'create-key',
  text: 'INSERT INTO api_keys (name, hash, expires_at) VALUES ($1, $2, $3)',
};

const LIST = {
  name: 'list-keys',
  text: `
    SELECT id, name, ${['created_at', 'expires_at', 'revoked_at'].map(inMilliseconds).join(', ')}
    FROM api_keys ORDER BY id`,
};

const REVOKE = {
  name: 'revoke-key',
  text: 'UPDATE api_keys SET revoked_at = now() WHERE id = $1 AND revoked_at IS NULL RETURNING id',
};

/**
 * Of two concurrent rotations, the second waits for the first, and sees what became of the key. NO KEY: creates may still
 * reference it.
 */
const ROTATE = {
  name: 'rotate-key',
  text: `
    WITH old AS (
      SELECT * FROM api_keys
      WHERE id = $1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())
      FOR NO KEY UPDATE
    ), replaced AS (
      UPDATE api_keys SET
        revoked_at = CASE WHEN $3 = 0 THEN now() END,
        expires_at = CASE
          WHEN $3 = 0 THEN old.expires_at
          ELSE least(old.expires_at, now() + $3 * interval '1 millisecond')
        END
      FROM old WHERE api_keys.id = old.id
    )
    INSERT INTO api_keys (name, hash, expires_at)
    SELECT name, $2, now() + (expires_at - created_at) FROM old
    RETURNING id`,
};

/** Creates a key and returns it, which is stored nowhere. */
export async function createKey(
  { $write, $keyPrefix }: KeyDatabase,
  name: string,
  expiresAt: Date | null,
): Promise<string> {
  const key = generateApiKey($keyPrefix);
  await $write(CREATE, [name, hashApiKey(key), expiresAt]);
  return key;
}

export async function listKeys({ $write }: KeyDatabase): Promise<KeyRecord[]> {
  return (await $write(LIST)).map(keyRecord);
}

/** Revokes a key for good; false if there was none to revoke. */
export async function revokeKey({ $write }: KeyDatabase, id: bigint): Promise<boolean> {
  return (await $write(REVOKE, [id])).length > 0;
}

/**
 * Replaces a key by a new one of the same name and lifetime. The old one is revoked, or expires after the grace period.
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

function keyRecord([id, name, createdAt, expiresAt, revokedAt]: TextRow): KeyRecord {
  return {
    id: BigInt(id ?? ''),
    name: name ?? '',
    createdAt: new Date(Number(createdAt)),
    expiresAt: date(expiresAt),
    revokedAt: date(revokedAt),
  };
}

function date(milliseconds: string | null | undefined): Date | null {
  return milliseconds == null ? null : new Date(Number(milliseconds));
}
