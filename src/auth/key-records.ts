import type { Database } from '../database/client.ts';
import { generateApiKey, hashApiKey } from './api-key.ts';

/** All that is stored of a key but its hash. */
export interface KeyRecord {
  readonly id: bigint;
  readonly name: string;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
}

type Keys = Pick<Database, 'apiKey'>;

/** Creates a key and returns it, which is stored nowhere. */
export async function createKey(
  database: Pick<Database, '$executeRaw'>,
  name: string,
  expiresAt: Date | null,
): Promise<string> {
  const key = generateApiKey();
  // Prisma would set created_at by this process's clock, not the database's.
  await database.$executeRaw`
    INSERT INTO api_keys (name, hash, expires_at) VALUES (${name}, ${hashApiKey(key)}, ${expiresAt})`;
  return key;
}

/** Creates a key unless the store has any; of several processes that start at once, in one only. */
export async function createFirstKey(
  database: Database,
  name: string,
): Promise<string | undefined> {
  if (await database.apiKey.exist()) {
    return undefined;
  }
  return database.$transaction(async (transaction) => {
    await transaction.$executeRaw`LOCK TABLE api_keys IN SHARE ROW EXCLUSIVE MODE`;
    const some = await transaction.apiKey.findFirst({ select: { id: true } });
    return some === null ? createKey(transaction, name, null) : undefined;
  });
}

export async function listKeys({ apiKey }: Keys): Promise<KeyRecord[]> {
  return apiKey.findMany({ omit: { hash: true }, orderBy: { id: 'asc' } });
}

/** Revokes a key for good; false if there was none to revoke. */
export async function revokeKey({ apiKey }: Keys, id: bigint, now: Date): Promise<boolean> {
  const { count } = await apiKey.updateMany({
    where: { id, revokedAt: null },
    data: { revokedAt: now },
  });
  return count > 0;
}

/**
 * Replaces a key by a new one of the same name and lifetime. The old one is revoked, or expires after the grace period.
 *
 * @returns the new key, or undefined if there is no such valid key
 */
export async function rotateKey(
  database: Database,
  id: bigint,
  graceMilliseconds: number,
): Promise<string | undefined> {
  const now = await database.$now();
  return database.$transaction(async (transaction) => {
    // Of two concurrent rotations, the second must see the first. NO KEY: creates may still reference the key.
    await transaction.$queryRaw`SELECT id FROM api_keys WHERE id = ${id} FOR NO KEY UPDATE`;
    const old = await transaction.apiKey.findFirst({
      where: {
        id,
        revokedAt: null,
        OR: [{ expiresAt: null }, { expiresAt: { gt: new Date(now) } }],
      },
    });
    if (old === null) {
      return undefined;
    }
    const expiry = old.expiresAt?.getTime() ?? Infinity;
    await transaction.apiKey.update({
      where: { id },
      data:
        graceMilliseconds === 0
          ? { revokedAt: new Date(now) }
          : { expiresAt: new Date(Math.min(expiry, now + graceMilliseconds)) },
    });
    const lifetime = expiry - old.createdAt.getTime();
    const expiresAt = lifetime === Infinity ? null : new Date(now + lifetime);
    return createKey(transaction, old.name, expiresAt);
  });
}
