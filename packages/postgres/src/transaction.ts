import { GraphQLError } from 'graphql';
import { sqlStateOf } from './sqlstate.ts';
import type { Pool } from 'pg';
import { tracer, type RunStatement } from '@store-gateway/ops';
import { asUnavailable } from './failure.ts';
import { LendingPool } from './lending-pool.ts';
import { retryConflicts, runStatement, timeStatement } from './statement.ts';

/**
 * Runs statements on one connection, measured and traced, in a transaction that is begun by `begin`, and committed unless `body`
 * resolves with undefined. One that has lost to others is run again, and so is `body`.
 *
 * @throws SERVICE_UNAVAILABLE if the database can't answer, or for an Error of `body`; otherwise what node-postgres throws
 */
export function runTransaction<Result>(
  pool: Pool,
  begin: string,
  body: (run: RunStatement) => Promise<Result | undefined>,
): Promise<Result | undefined> {
  return retryConflicts(async () => {
    try {
      return await runOnce(pool, begin, body);
    } catch (error) {
      throw error instanceof GraphQLError ? error : asUnavailable(error);
    }
  });
}

async function runOnce<Result>(
  pool: Pool,
  begin: string,
  body: (run: RunStatement) => Promise<Result | undefined>,
): Promise<Result | undefined> {
  const client = await pool.connect();
  // The pool listens to idle clients alone; the statement that is under way fails, too.
  client.on('error', ignore);
  const send = (name: string, text: string) =>
    timeStatement(name, () => tracer.statement(name, () => client.query(text)));
  // Behind a pooler, the next transaction may have another session.
  const isKept = LendingPool.runsTexts(pool);
  let isOver = false;
  try {
    await send('begin', begin);
    const result = await body((statement, values) =>
      runStatement(client, isKept ? statement : { ...statement, preparedAs: '' }, values),
    );
    await (result === undefined ? send('rollback', 'ROLLBACK') : send('commit', 'COMMIT'));
    isOver = true;
    return result;
  } catch (error) {
    if (sqlStateOf(error instanceof GraphQLError ? error.cause : error) !== '') {
      await send('rollback', 'ROLLBACK');
      isOver = true;
    }
    throw error;
  } finally {
    client.off('error', ignore);
    // With its connection ends what may still go on.
    client.release(!isOver);
  }
}

function ignore(): void {}
