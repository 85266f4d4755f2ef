import {
  createKey as create,
  hashApiKey,
  type KeyDatabase,
  type Restrictions,
  UNRESTRICTED,
} from '../../packages/access/src/keys/api-keys.ts';
import { setTimeout } from 'node:timers/promises';

/** What a key is created with. Without any of it, it's called "test", never expires, and may do everything. */
export interface KeyOptions extends Partial<Restrictions> {
  readonly name?: string;
  readonly expiresAt?: Date | null;
}

/** Not `findKey`: some tests count its statement, or cut the connection at it. */
const FIND_ID = {
  name: 'find-key-id',
  preparedAs: '',
  text: 'SELECT id FROM _gateway_api_keys WHERE substr(hash, length(hash) - 31) = $1',
};

/** Creates an API key, as `npm run keys -- create` does. */
export async function createKey(
  database: KeyDatabase,
  { name = 'test', expiresAt = null, ...restrictions }: KeyOptions = {},
) {
  const key = await create(database, name, expiresAt, { ...UNRESTRICTED, ...restrictions });
  const [row = []] = await database.$write(FIND_ID, [hashApiKey(key)]);
  return { key, id: BigInt(row[0] ?? '') };
}

/**
 * Resolves once every cache reads the clock again, after a test has moved it: lru-cache reads it once a millisecond, by a
 * timer that ends before this one, since it began earlier.
 */
export async function cachesReadClock(): Promise<void> {
  await setTimeout(1);
}
