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
import { asUnavailable, knownRequestErrorOf, rejectsWrites, sqlStateOf } from './errors.ts';
import { areTexts, LendingPool } from './lending-pool.ts';

const asText: CustomTypesConfig = { getTypeParser: () => (text: string) => text };

/** A pool, or one of its clients. */
interface Queryable {
  /** node-postgres's `query`, with values as text. */
  readonly query: (config: QueryArrayConfig) => Promise<QueryArrayResult<(string | null)[]>>;
}

/**
 * Runs a prepared statement, and measures and traces it.
 *
 * @returns the rows, with their values as text
 * @throws SERVICE_UNAVAILABLE if the database doesn't respond; otherwise node-postgres's error
 */
export async function runStatement(
  database: Queryable,
  statement: Statement,
  values: readonly unknown[],
): Promise<readonly TextRow[]> {
  return measured(statement, () => sendStatement(database, statement, values));
}

/** Runs a statement, and retries it after conflicts. @throws SERVICE_UNAVAILABLE if the database doesn't respond */
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

/** PostgreSQL truncates longer names, so two statements could get the same name. */
const MAX_NAME_LENGTH = 63;

const shortNames = new Map<string, string>();

/**
 * Returns the name of a prepared statement. A name over the limit, for example for a model with a long name, is shortened and
 * ends with a hash.
 */
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

/** Runs a statement without measuring or tracing it. @throws node-postgres's error */
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
 * @param name the statement's name in metrics
 * @throws SERVICE_UNAVAILABLE if the database doesn't respond; otherwise the error from `run`
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

/** SQLSTATEs of a serialization failure and of a deadlock: the transaction conflicted with another one, and had no effect. */
const CONFLICTS = /^40(?:001|P01)$/;

const ATTEMPTS = 3;

/** Runs a complete transaction, and retries it after conflicts with other transactions. @throws the last attempt's error */
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
 * Like `retryConflicts`, but also retries a Prisma call once if it found no row to change: Citus looks in the wrong shard if the
 * call waited while the table was being distributed.
 *
 * @throws the last attempt's error
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
  return prismaCodeOf(error) === 'P2034' || CONFLICTS.test(sqlStateOf(unwrapError(error)));
}

/**
 * SQLSTATE classes of planning errors: feature not supported (0A), syntax error or access rule violation (42), internal error
 * (XX).
 */
const UNPLANNED = /^(?:0A|42|XX)/;

/** Whether the database couldn't plan a statement, for example because its tables have been distributed since startup. */
export function isUnplanned(error: unknown): boolean {
  return UNPLANNED.test(sqlStateOf(unwrapError(error)));
}

function prismaCodeOf(error: unknown): string | undefined {
  return knownRequestErrorOf(unwrapError(error))?.code;
}

/** Returns the original error of a call: within a transaction, a call may throw it wrapped in a GraphQLError. */
function unwrapError(error: unknown): unknown {
  return error instanceof GraphQLError ? error.cause : error;
}

/**
 * Runs statements in a transaction that `begin` starts, and measures and traces them. The transaction is committed unless `body`
 * resolves to undefined. After a conflict with another transaction, it is retried, including `body`.
 *
 * @throws SERVICE_UNAVAILABLE if the database doesn't respond, or if `body` throws a plain Error; otherwise node-postgres's error
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
  // The pool only handles errors on idle clients. They are ignored here, because the statement in flight fails too.
  client.on('error', ignore);
  const send = (name: string, text: string) =>
    timeStatement(name, () => tracer.statement(name, () => client.query(text)));
  // Behind a pooler, the next transaction may get a different session, without these prepared statements.
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
    if (sqlStateOf(unwrapError(error)) !== '') {
      await send('rollback', 'ROLLBACK');
      isOver = true;
    }
    throw error;
  } finally {
    client.off('error', ignore);
    // Closing the connection ends whatever may still be running.
    client.release(!isOver);
  }
}

function ignore(): void {}

/**
 * Creates a check that requests can be served, including writes. No query reveals a full disk, or that new sessions are
 * read-only, so after a rejected write each ping runs the write probe until it succeeds. The other probe uses a read
 * connection, because writes that hang while they wait for a lost standby don't affect reads.
 *
 * @returns the check, which rejects with SERVICE_UNAVAILABLE, or with PostgreSQL's error if the probe is at fault
 */
export function createPing({
  readPool,
  writePool,
  probe,
  writeProbe,
}: {
  readonly readPool: Pool;
  readonly writePool: Pool;
  /**
   * A statement that fails whenever requests would fail: it refers to the tables that they use, reads no rows, and fails on a
   * standby.
   */
  readonly probe: Statement;
  /** Writes something and rolls it back. */
  readonly writeProbe: string;
}): () => Promise<void> {
  let wasRefused = false;
  // A pool releases a connection with the error from its last use, if there was one.
  writePool.on('release', (error: unknown) => {
    wasRefused ||= rejectsWrites(error);
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
