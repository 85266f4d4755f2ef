import { hash } from 'node:crypto';
import { GraphQLError } from 'graphql';
import type { CustomTypesConfig, QueryArrayConfig, QueryArrayResult } from 'pg';
import { errorCode } from '@store-gateway/ops/errors';
import { recorder, tracer, type Statement, type TextRow } from '@store-gateway/ops';
import { asUnavailable } from './failure.ts';
import { LendingPool, areTexts } from './lending-pool.ts';
import { knownRequestErrorOf, sqlStateOf } from './sqlstate.ts';

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
