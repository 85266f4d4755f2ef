import {
  recorder,
  type RunStatement,
  type Statement,
  type TextRow,
  tracer,
} from '@store-gateway/ops';
import { errorCode } from '@store-gateway/ops/errors';
import { GraphQLError } from 'graphql';
import { hash } from 'node:crypto';
import type { CustomTypesConfig, Pool, QueryArrayConfig, QueryArrayResult } from 'pg';
import { asUnavailable, knownRequestErrorOf, refusesWrites, sqlStateOf } from './errors.ts';
import { areTexts, LendingPool } from './lending-pool.ts';

const asText: CustomTypesConfig = { getTypeParser: () => (text: string) => text };

/** A pool, or one of its clients. */
interface Queryable {
  /** node-postgres's `query`, with values as text. */
  readonly query: (config: QueryArrayConfig) => Promise<QueryArrayResult<(string | null)[]>>;
}

/**
 * Runs a prepared statement, measured and traced.
 *
 * @returns the rows, with their values as text
 * @throws SERVICE_UNAVAILABLE if the database can't answer; otherwise what node-postgres throws
 */
export async function runStatement(
  database: Queryable,
  statement: Statement,
  values: readonly unknown[],
): Promise<readonly TextRow[]> {
  return measured(statement, () => sendStatement(database, statement, values));
}

/** Runs a statement again that has lost to others. @throws SERVICE_UNAVAILABLE if the database can't answer */
export async function runWrite(
  database: Queryable,
  statement: Statement,
  values: readonly unknown[],
): Promise<readonly TextRow[]> {
  return measured(statement, () =>
    retryConflicts(() => sendStatement(database, statement, values)),
  );
}

function measured(
  { name }: Statement,
  run: () => Promise<readonly TextRow[]>,
): Promise<readonly TextRow[]> {
  return timeStatement(name, () => tracer.statement(name, run));
}

/** PostgreSQL cuts off the rest of a name, so that those of two statements could be the same. */
const MAX_NAME_LENGTH = 63;

const shortNames = new Map<string, string>();

/** The name of a prepared statement; of a model with a long name, one that ends with a hash. */
function withinLimit(name: string): string {
  if (name.length <= MAX_NAME_LENGTH) {
    return name;
  }
  let short = shortNames.get(name);
  if (short === undefined) {
    short = `${name.slice(0, 40)}~${hash('sha256', name, 'hex').slice(0, 20)}`;
    shortNames.set(name, short);
  }
  return short;
}

/** Runs a statement that is neither measured nor traced. @throws what node-postgres throws */
export async function sendStatement(
  database: Queryable,
  { name, preparedAs = name, text }: Statement,
  values: readonly unknown[],
): Promise<readonly TextRow[]> {
  const ownName = withinLimit(preparedAs);
  if (ownName !== '' && areTexts(values) && LendingPool.runsTexts(database)) {
    return database.runTexts({ name: ownName, text }, values);
  }
  const { rows } = await database.query({
    name: ownName,
    text,
    values: [...values],
    rowMode: 'array',
    types: asText,
  });
  return rows;
}

/**
 * Runs a statement, and records how long it took.
 *
 * @param name of the statement, in metrics
 * @throws SERVICE_UNAVAILABLE if the database can't answer; otherwise what `run` throws
 */
export async function timeStatement<Result>(
  name: string,
  run: () => Promise<Result>,
): Promise<Result> {
  const started = performance.now();
  try {
    const result = await run();
    record(name, started);
    return result;
  } catch (thrown) {
    const error = asUnavailable(thrown);
    record(name, started, errorCode(error) === 'SERVICE_UNAVAILABLE' ? 'unavailable' : 'refused');
    throw error;
  }
}

function record(name: string, started: number, errorType?: string): void {
  recorder.record('db_client_operation_duration_seconds', (performance.now() - started) / 1000, {
    db_query_summary: name,
    ...(errorType !== undefined && { error_type: errorType }),
  });
}

/** A transaction that lost to another one, by a serialization failure or a deadlock: it has had no effect. */
const CONFLICTS = /^40(?:001|P01)$/;

const ATTEMPTS = 3;

/** Runs what is a transaction of its own, again if it has lost to others. @throws what the last attempt throws */
export async function retryConflicts<Result>(run: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run();
    } catch (error) {
      if (attempt === ATTEMPTS || !isConflict(error)) {
        throw error;
      }
    }
  }
}

/**
 * As `retryConflicts`, and runs what is Prisma's once more if it has found no row to change: Citus looks in the wrong shard if it has
 * waited for a table to be distributed.
 *
 * @throws what the last attempt throws
 */
export async function retryMissing<Result>(run: () => Promise<Result>): Promise<Result> {
  try {
    return await retryConflicts(run);
  } catch (error) {
    if (prismaCodeOf(error) !== 'P2025') {
      throw error;
    }
    return retryConflicts(run);
  }
}

function isConflict(error: unknown): boolean {
  return prismaCodeOf(error) === 'P2034' || CONFLICTS.test(sqlStateOf(thrownBy(error)));
}

/** SQLSTATE classes of what can't be planned: not supported, wrong for the tables, and internal errors. */
const UNPLANNED = /^(?:0A|42|XX)/;

/** Whether the database couldn't plan a statement, as if its tables had been distributed since the start. */
export function isUnplanned(error: unknown): boolean {
  return UNPLANNED.test(sqlStateOf(thrownBy(error)));
}

function prismaCodeOf(error: unknown): string | undefined {
  return knownRequestErrorOf(thrownBy(error))?.code;
}

/** What a call within a transaction has thrown. */
function thrownBy(error: unknown): unknown {
  return error instanceof GraphQLError ? error.cause : error;
}

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
    if (sqlStateOf(thrownBy(error)) !== '') {
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

/**
 * Whether requests can be served, writes included. A disk can't be asked whether it is full, nor an old session whether
 * new ones are read-only: so after a refused write each ping runs the write probe, until that works. Everything else is
 * asked on a read connection, because writes that hang, waiting for a lost standby, say nothing of reads.
 *
 * @returns pings; rejects with SERVICE_UNAVAILABLE, or with PostgreSQL's error if the probe is at fault
 */
export function createPing({
  readPool,
  writePool,
  probe,
  writeProbe,
}: {
  readonly readPool: Pool;
  readonly writePool: Pool;
  /** Fails where requests would: it names their tables, reads nothing, and is refused by a standby. */
  readonly probe: Statement;
  /** Writes something and rolls it back. */
  readonly writeProbe: string;
}): () => Promise<void> {
  let wasRefused = false;
  // A pool releases a connection with the error of its last use, if there was one.
  writePool.on('release', (error: unknown) => {
    wasRefused ||= refusesWrites(error);
  });
  return async () => {
    await runStatement(readPool, probe, []);
    if (wasRefused) {
      await writePool.query(writeProbe).catch((error: unknown) => {
        throw asUnavailable(error);
      });
      wasRefused = false;
    }
  };
}
