import { PrismaPg } from '@prisma/adapter-pg';
import { createKeyQueries } from './api-keys.ts';
import { asUnavailable } from './failure.ts';
import { PrismaClient } from './generated/client.ts';
import { createBatchedPets } from './pets/batched-pets.ts';
import { createIdempotencyKeyQueries } from './idempotency-keys.ts';
import { createPool, REQUEST_TIMEOUTS, warmUp } from './pool.ts';
import { createRateLimitQueries } from './rate-limit-counts.ts';
import { runStatement } from './statement.ts';
import { statementEnds } from './statement-time.ts';

/**
 * Names the tables that requests need, and reads none of them. A database that answers, but isn't the one that
 * was migrated at the start, has to be found out: a failover may lead to an empty or an older one.
 */
const PING = {
  name: 'ping',
  text: `SELECT FROM pets, api_keys, idempotency_keys, deprecated_calls, trusted_documents, rate_limit_counts LIMIT 0`,
};

const NOW = { name: 'now', text: 'SELECT floor(extract(epoch FROM now()) * 1000)::bigint' };

const CONNECTIONS = 10;

/** For keys alone, so that to know who asks never waits behind what all the others have asked for. */
const KEY_CONNECTIONS = 2;

export type Database = ReturnType<typeof openDatabase>;

/**
 * A client for a PostgreSQL that has been migrated. It connects when first used, and again by itself
 * after the database was away. A database that can't answer is SERVICE_UNAVAILABLE.
 *
 * @param timeouts those of requests, by default
 */
export function openDatabase(url: string, timeouts = REQUEST_TIMEOUTS) {
  const pool = createPool(url, { name: 'store', max: CONNECTIONS, timeouts });
  const keyPool = createPool(url, { name: 'keys', max: KEY_CONNECTIONS, timeouts });
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
        /**
         * Whether requests can be served with it.
         *
         * @throws SERVICE_UNAVAILABLE if it does not answer, after 2 s at the latest; PostgreSQL's error if it has
         *   not all of the tables
         */
        $ping: async (): Promise<void> => {
          await runStatement(pool, PING, []);
        },
        /** Milliseconds since 1970 by the clock that decides when keys expire. */
        $now: async (): Promise<number> => {
          const [row] = await runStatement(pool, NOW, []);
          return Number(row?.[0]);
        },
        /**
         * Connects ahead of requests, with the timeout of a start.
         *
         * @throws the reason for which it can't, or because it was `stopped`
         */
        $connect: async (stopped?: AbortSignal): Promise<void> => {
          await Promise.all([pool, keyPool].map((each) => warmUp(each, stopped)));
        },
        // Prisma would end the pool only if it had made use of it itself.
        $disconnect: async () => {
          await client.$disconnect();
          await Promise.all([pool.end(), keyPool.end()]);
        },
      },
    });
}
