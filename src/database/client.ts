import { PrismaPg } from '@prisma/adapter-pg';
import { createKeyQueries } from './api-keys.ts';
import { applicationName, type DatabaseRole } from './application-name.ts';
import { createBackendReaper } from './backend-reaper.ts';
import { asUnavailable } from './failure.ts';
import { PrismaClient } from './generated/client.ts';
import { createBatchedPets } from './pets/batched-pets.ts';
import { createIdempotencyKeyQueries } from './idempotency-keys.ts';
import { createPool, REQUEST_TIMEOUTS, warmUp, type DatabaseTimeouts } from './pool.ts';
import { DEFAULT_POOL_SIZE } from './pool-size.ts';
import { createRateLimitQueries } from './rate-limit-counts.ts';
import { runStatement } from './statement.ts';
import { statementEnds } from './statement-time.ts';
import { createDocumentQueries } from './trusted-documents.ts';

/**
 * Names the tables that requests need, and reads none of them. A database that answers, but isn't the one that
 * was migrated at the start, has to be found out: a failover may lead to an empty or an older one.
 */
const PING = {
  name: 'ping',
  text: `SELECT FROM pets, api_keys, idempotency_keys, deprecated_calls, trusted_documents, rate_limit_counts LIMIT 0`,
};

/** For keys alone, so that to know who asks never waits behind what all the others have asked for. */
const KEY_CONNECTIONS = 2;

export interface DatabaseOptions {
  /** Those of requests, by default. */
  readonly timeouts?: DatabaseTimeouts | undefined;
  /** Connections, at the most. While the server is asked what has become of some there is one more. */
  readonly poolSize?: number | undefined;
  readonly role?: DatabaseRole | undefined;
}

export type Database = ReturnType<typeof openDatabase>;

/**
 * A client for a PostgreSQL that has been migrated. It connects when first used, and again by itself
 * after the database was away. A database that can't answer is SERVICE_UNAVAILABLE.
 */
export function openDatabase(
  url: string,
  {
    timeouts = REQUEST_TIMEOUTS,
    poolSize = DEFAULT_POOL_SIZE,
    role = 'serve',
  }: DatabaseOptions = {},
) {
  const common = {
    timeouts,
    applicationName: applicationName(role),
    reaper: createBackendReaper(),
  };
  // What writes may wait for a disk or a standby for as long as these take: reading goes on beside it.
  const writers = Math.floor((poolSize - KEY_CONNECTIONS) / 2);
  const readers = poolSize - KEY_CONNECTIONS - writers;
  const readPool = createPool(url, { name: 'reads', max: readers, ...common });
  const writePool = createPool(url, { name: 'writes', max: writers, ...common });
  const keyPool = createPool(url, { name: 'keys', max: KEY_CONNECTIONS, ...common });
  const pools = [readPool, writePool, keyPool];
  const client = new PrismaClient({ adapter: new PrismaPg(writePool), errorFormat: 'minimal' });
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
        pet: createBatchedPets({ readPool, writePool }),
        apiKey: createKeyQueries(keyPool),
        rateLimitCount: createRateLimitQueries(writePool),
        trustedDocument: createDocumentQueries(readPool),
        idempotencyKey: createIdempotencyKeyQueries(writePool),
      },
      client: {
        /**
         * Whether requests can be served with it.
         *
         * @throws SERVICE_UNAVAILABLE if it does not answer, after 2 s at the latest; PostgreSQL's error if it has
         *   not all of the tables
         */
        $ping: async (): Promise<void> => {
          await runStatement(readPool, PING, []);
        },
        /**
         * Connects ahead of requests, with the timeout of a start.
         *
         * @throws the reason for which it can't, or because it was `stopped`
         */
        $connect: async (stopped?: AbortSignal): Promise<void> => {
          await Promise.all(pools.map((pool) => warmUp(pool, stopped)));
        },
        // Prisma would end the pool only if it had made use of it itself.
        $disconnect: async () => {
          await client.$disconnect();
          await Promise.all(pools.map((pool) => pool.end()));
        },
      },
    });
}
