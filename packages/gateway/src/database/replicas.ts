import type { Pool } from 'pg';
import {
  createBackendReaper,
  addressOf,
  createPool,
  type PoolOptions,
  createReplicaReads,
} from '@store-gateway/postgres';

/** Opens replicas of a primary, with a pool each. */
export type OpenReplicas = ReturnType<typeof replicasAt>;

/** @param urls of the replicas, each with the schema of the store */
export function replicasAt(urls: readonly string[]) {
  return (primary: Pool, options: Omit<PoolOptions, 'name' | 'pooler' | 'reaper' | 'role'>) => {
    const replicas = urls.map((url, index) => ({
      name: addressOf(url),
      pool: createPool(url, {
        ...options,
        name: `replica ${index + 1}`,
        role: 'replica',
        reaper: createBackendReaper(),
      }),
    }));
    const { read, end } = createReplicaReads(primary, replicas);
    return {
      read,
      close: async (): Promise<void> => {
        end();
        await Promise.all(replicas.map(({ pool }) => pool.end()));
      },
    };
  };
}
