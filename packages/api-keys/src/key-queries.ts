import type { Pool } from 'pg';
import { runStatement } from '@gateway/postgres/statement';

interface FoundKey {
  readonly id: bigint;
  /** Milliseconds from the lookup on, by the database's clock, because those of processes may differ. */
  readonly expiresIn: number | null;
  readonly expiresAt: Date | null;
}

const FIND_BY_HASH = {
  name: 'find-key-by-hash',
  text: `
    SELECT id, (extract(epoch FROM expires_at - now()) * 1000)::bigint,
      (extract(epoch FROM expires_at) * 1000)::bigint
    FROM api_keys WHERE hash = $1 AND revoked_at IS NULL`,
};

const FIND_BY_HASHES = {
  name: 'find-keys-by-hashes',
  text: `
    SELECT number - 1, id FROM unnest($1::bytea[]) WITH ORDINALITY AS asked (hash, number)
    JOIN api_keys USING (hash)
    WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())`,
};

const FIND_ANY = { name: 'find-any-key', text: 'SELECT id FROM api_keys LIMIT 1' };

/** One transaction, since it is one message. @param hash of a key of ours, so that nothing has to be quoted */
const createFirst = (hash: Buffer): string => `
  LOCK TABLE api_keys IN SHARE ROW EXCLUSIVE MODE;
  INSERT INTO api_keys (name, hash)
  SELECT 'first', '\\x${hash.toString('hex')}' WHERE NOT EXISTS (SELECT FROM api_keys)`;

/** What reads keys: of each start and each request. */
export type KeyQueries = ReturnType<typeof createKeyQueries>;

/** What each start and each request needs, without loading Prisma's engine. */
export function createKeyQueries(pool: Pool) {
  return {
    /** A key that has not been revoked, be it expired, by the SHA-256 of it. */
    findByHash: async (hash: Buffer): Promise<FoundKey | undefined> => {
      const [row] = await runStatement(pool, FIND_BY_HASH, [hash]);
      if (row === undefined) {
        return undefined;
      }
      const [id, expiresIn, expiresAt] = row;
      return {
        id: BigInt(id ?? ''),
        expiresIn: expiresIn == null ? null : Number(expiresIn),
        expiresAt: expiresAt == null ? null : new Date(Number(expiresAt)),
      };
    },
    /** Those of several keys that are valid, each by the index of its hash. */
    findByHashes: async (
      hashes: readonly Buffer[],
    ): Promise<readonly { readonly index: number; readonly id: bigint }[]> => {
      const rows = await runStatement(pool, FIND_BY_HASHES, [hashes]);
      return rows.map(([index, id]) => ({ index: Number(index), id: BigInt(id ?? '') }));
    },
    /** Creates the first key of a store, unless it has one, which another process may just have created. */
    createFirst: async (hash: Buffer): Promise<void> => {
      await pool.query(createFirst(hash));
    },
    /** Whether the store has any key, be it revoked. */
    exist: async (): Promise<boolean> => (await runStatement(pool, FIND_ANY, [])).length > 0,
  };
}
