import { PrismaPg } from '@prisma/adapter-pg';
import { createKeyQueries } from './api-keys.ts';
import { asUnavailable } from './failure.ts';
import { PrismaClient } from './generated/client.ts';
import { createBatchedPets } from './pets/batched-pets.ts';
import { createIdempotencyKeyQueries } from './idempotency-keys.ts';
import { createPool } from './pool.ts';
import { createRateLimitQueries } from './rate-limit-counts.ts';
import { runStatement } from './statement.ts';
import { statementEnds } from './statement-time.ts';

const PING = { name: 'ping', text: 'SELECT 1' };

const CONNECTIONS = 10;

/**
 * For keys alone. A request whose key has to be read would else wait twice for a connection, together longer
 * than the 2 s within which its caller hears of a database that is too busy.
 */
const KEY_CONNECTIONS = 2;

export type Database = ReturnType<typeof openDatabase>;

/**
 * A client for a PostgreSQL that has been migrated. It connects when first used, and again by itself
 * after the database was away. A database that can't answer is SERVICE_UNAVAILABLE.
 */
export function openDatabase(url: string) {
  const pool = createPool(url, 'store', CONNECTIONS);
  const keyPool = createPool(url, 'keys', KEY_CONNECTIONS);
  const client = new PrismaClient({ adapter: new PrismaPg(pool), errorFormat: 'minimal' });
  return client
    .$extends({
      query: {
        $allOperations: async ({ model, operation, args, query }) => {
          const name = model === undefined ? operation : `${model}.${operation}`;
          const started = performance.now();
          try {
            const result: unknown = await query(args);
            statementEnds(name, started);
            return result;
          } catch (thrown) {
            const error = asUnavailable(thrown);
            statementEnds(name, started, error);
            throw error;
          }
        },
      },
    })
    .$extends({
      model: {
        pet: createBatchedPets(pool),
        apiKey: createKeyQueries(keyPool),
        rateLimitCount: createRateLimitQueries(pool),
        idempotencyKey: createIdempotencyKeyQueries(pool),
      },
      client: {
        /** Whether it answers. @throws SERVICE_UNAVAILABLE, after 2 s at the latest */
        $ping: async (): Promise<void> => {
          await runStatement(pool, PING, []);
        },
        // Prisma would end the pool only if it had made use of it itself.
        $disconnect: async () => {
          await client.$disconnect();
          await Promise.all([pool.end(), keyPool.end()]);
        },
      },
    });
}
