import { PrismaPg } from '@prisma/adapter-pg';
import { createKeyQueries } from './api-keys.ts';
import { asUnavailable } from './failure.ts';
import { PrismaClient } from './generated/client.ts';
import { createBatchedPets } from './pets/batched-pets.ts';
import { createPool } from './pool.ts';

export type Database = ReturnType<typeof openDatabase>;

/**
 * A client for a PostgreSQL that has been migrated. It connects when first used, and again by itself
 * after the database was away. A database that can't answer is SERVICE_UNAVAILABLE.
 */
export function openDatabase(url: string) {
  const pool = createPool(url);
  const client = new PrismaClient({ adapter: new PrismaPg(pool), errorFormat: 'minimal' });
  return client
    .$extends({
      query: {
        $allOperations: async ({ args, query }) => {
          try {
            const result: unknown = await query(args);
            return result;
          } catch (error) {
            throw asUnavailable(error);
          }
        },
      },
    })
    .$extends({
      model: { pet: createBatchedPets(pool), apiKey: createKeyQueries(pool) },
      client: {
        // Prisma would end the pool only if it had made use of it itself.
        $disconnect: async () => {
          await client.$disconnect();
          await pool.end();
        },
      },
    });
}
