import { PrismaPg } from '@prisma/adapter-pg';
import type { PoolConfig } from 'pg';
import { log } from '../log.ts';
import { asUnavailable } from './failure.ts';
import { PrismaClient } from './generated/client.ts';

/**
 * Milliseconds that a statement may take, and as many that it may wait for a connection: together they
 * stay under the 2 s within which a caller hears of a database that does not answer.
 */
const WAIT_MILLISECONDS = 900;

const POOL = {
  max: 10,
  connectionTimeoutMillis: WAIT_MILLISECONDS,
  // The server gives up first, and frees what it holds; the client's own clock is for a server that
  // is frozen or unreachable.
  statement_timeout: WAIT_MILLISECONDS - 100,
  query_timeout: WAIT_MILLISECONDS,
  keepAlive: true,
} satisfies PoolConfig;

export type Database = ReturnType<typeof openDatabase>;

/**
 * A client for a PostgreSQL that has been migrated. It connects when first used, and again by itself
 * after the database was away. A database that can't answer is SERVICE_UNAVAILABLE.
 */
export function openDatabase(url: string) {
  const adapter = new PrismaPg(
    { ...POOL, connectionString: url },
    {
      // The pool drops a connection that fails while idle; whoever needs one next gets a new one.
      onPoolError: (error) => {
        log.warn({ reason: error.message }, 'idle database connection lost');
      },
    },
  );
  return new PrismaClient({ adapter, errorFormat: 'minimal' }).$extends({
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
  });
}
