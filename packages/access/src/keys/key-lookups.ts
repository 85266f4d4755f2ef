import { redactKeysWith, outsideRequest } from '@store-gateway/ops';
import { runWrite, runStatement } from '@store-gateway/postgres';
import type { Pool } from 'pg';
import { type KeyDatabase, hashApiKey } from './key-records.ts';
import { RESTRICTION_COLUMNS, restrictionsOf, storedForms, type Restrictions } from './caller.ts';

/**
 * A database of keys: what they are created, changed and looked up in. From now on the log has none of them.
 *
 * @param pool of a PostgreSQL that has the table `_gateway_api_keys`
 * @param prefix begins each key, such as `books_`
 */
export function keyDatabase(pool: Pool, prefix: string): KeyLookups & KeyDatabase {
  redactKeysWith(prefix);
  return {
    $keyPool: pool,
    $keyPrefix: prefix,
    $write: (statement, values = []) => runWrite(pool, statement, values),
  };
}

/** A little less than the shortest Retry-After, so that a client that heeds it is known by then. */
const DEFERRED_INTERVAL_MS = 900;

/**
 * Looks up keys or tokens that were rejected for their address, those of an interval together. A valid one is let in when
 * it comes again.
 *
 * @param lookUp remembers the valid ones
 * @param maximum of an interval; the others may come again
 */
export function createDeferredLookups(
  lookUp: (keys: readonly string[]) => Promise<void>,
  maximum: number,
): (key: string) => void {
  const deferred = new Set<string>();

  async function lookUpAll(): Promise<void> {
    const keys = [...deferred];
    deferred.clear();
    await lookUp(keys);
  }

  return (key) => {
    if (deferred.size === maximum) {
      return;
    }
    if (deferred.size === 0) {
      outsideRequest(() => {
        // If the database is away, the keys may come again.
        setTimeout(() => void lookUpAll().catch(() => undefined), DEFERRED_INTERVAL_MS).unref();
      });
    }
    deferred.add(key);
  };
}

/** What keys are looked up in, without loading Prisma's engine. */
export interface KeyLookups {
  readonly $keyPool: Pool;
  /** What begins each key of the store. */
  readonly $keyPrefix: string;
}

/** A key that was found by its hash, expired or not. */
interface FoundKey {
  readonly id: bigint;
  /** Milliseconds from the lookup on, by the database's clock, because those of processes may differ. */
  readonly expiresIn: number | null;
  /** The same by the clock on the wall, for people; null for a key that never expires. */
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

/** A key that has not been revoked. It may have expired. */
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

/** Finds the valid ones among several keys, with their ids. */
export async function findValidKeys(
  { $keyPool }: KeyLookups,
  keys: readonly string[],
): Promise<readonly (readonly [key: string, id: bigint])[]> {
  const rows = await runStatement($keyPool, FIND_BY_HASHES, [keys.map(hashApiKey)]);
  return rows.map(([index, id]) => [keys[Number(index)] ?? '', BigInt(id ?? '')]);
}
