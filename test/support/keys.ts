import {
  createKey as create,
  hashApiKey,
  type KeyDatabase,
  type Restrictions,
  UNRESTRICTED,
} from '../../packages/access/src/keys/api-keys.ts';
import { setTimeout } from 'node:timers/promises';

/** A new key's properties. By default, it is called "test", never expires and may do everything. */
export interface KeyOptions extends Partial<Restrictions> {
  readonly name?: string;
  readonly expiresAt?: Date | null;
}

/** Not `findKey`, because some tests count its statement or cut the connection during it. */
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
 * Resolves when all caches have noticed that a test moved the clock: lru-cache reads the clock once per millisecond,
 * with a timer that fires before this one because it started earlier.
 */
export async function cachesReadClock(): Promise<void> {
  await setTimeout(1);
}
