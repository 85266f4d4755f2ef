import { adaptEngine, type Models, ofEngineOnly, unboundedCall } from '@store-gateway/data';
import { codedError } from '@store-gateway/ops/errors';
import { createExecutionSlots } from '@store-gateway/http/limits';
import { isJsonObject, loggedRequest, recorder, tracer } from '@store-gateway/ops';
import { type retryConflicts, timeStatement } from '@store-gateway/postgres';
import { PrismaPg } from '@prisma/adapter-pg';
import { escapeIdentifier, type Pool } from 'pg';

interface EngineCall {
  readonly model?: string | undefined;
  readonly operation: string;
  readonly args: unknown;
  readonly query: (args: unknown) => Promise<unknown>;
}

interface BoundOptions {
  /** Runs a query with a plan for its values. */
  readonly planByValue: (query: Promise<unknown>) => Promise<unknown>;
  /** Runs a transaction, and retries it after conflicts. */
  readonly retry: typeof retryConflicts;
  /** Milliseconds that a call may wait for other calls by the same key. */
  readonly waitMs: number;
}

/**
 * Creates a query extension that records calls to Prisma's engine, and limits the calls from requests: a call that would read
 * an unbounded number of rows fails, and each key's concurrent calls are limited, so that other keys still get connections.
 * Commands aren't limited.
 *
 * @param connections the number of connections in the pool that the engine shares with creates
 */
export function boundedEngine(
  models: Models,
  connections: number,
  { planByValue, retry, waitMs }: BoundOptions,
): object {
  const slots = createExecutionSlots(Math.max(1, Math.floor(connections / 2)));

  async function answer({
    model,
    operation,
    args,
    query,
    isOfTransaction,
  }: EngineCall & { readonly isOfTransaction: boolean }): Promise<unknown> {
    const name = model === undefined ? operation : `${model}.${operation}`;
    if (model !== undefined) {
      databaseCalled(model, operation, 'engine');
    }
    // A call in a transaction already has a connection, and can't be retried alone.
    const ask = (): Promise<unknown> =>
      !isOfTransaction && isPlannedByValue(operation, args)
        ? planByValue(query(args))
        : query(args);
    const run = (): Promise<unknown> =>
      timeStatement(name, () => (isOfTransaction ? ask() : retry(ask)));
    const request = loggedRequest();
    if (request === undefined) {
      return run();
    }
    const fault = model === undefined ? undefined : unboundedCall(models, model, operation, args);
    if (fault !== undefined) {
      throw new TypeError(fault);
    }
    if (isOfTransaction) {
      return run();
    }
    const { keyId = '' } = request;
    if (!(await slots.enter(keyId, 1, waitMs))) {
      throw codedError(
        'OVERLOADED',
        'the API key stayed at its limit of concurrent database calls until the request timed out',
      );
    }
    try {
      return await run();
    } finally {
      slots.leave(keyId, 1);
    }
  }

  return { $allOperations: ofEngineOnly(answer) };
}

export function databaseCalled(model: string, operation: string, by: 'statement' | 'engine'): void {
  recorder.add('database_calls_total', 1, { model, operation, answered_by: by });
  tracer.databaseCalled(model, operation, by);
}

type Connection = Awaited<ReturnType<PrismaPg['connect']>>;

interface EngineOptions {
  readonly schema: string;
  /** The store's tables. */
  readonly tables: readonly string[];
  /** Whether the database is currently sharded by Citus. */
  readonly isSharded: () => boolean;
}

/**
 * Connects Prisma's engine to the database. Citus commits a transaction on a single worker in one phase, before it commits
 * changes to tables that aren't distributed. A crash in between would leave half of the transaction committed. So on Citus, each
 * transaction begins with statements that change no rows, which make Citus commit in two phases.
 */
export class EngineAdapter extends PrismaPg {
  readonly #isSharded: () => boolean;
  readonly #begin: string;

  constructor(pool: Pool, { schema, tables, isSharded }: EngineOptions) {
    super(pool, { schema });
    this.#isSharded = isSharded;
    // A DELETE for every table, which matches no rows. At least one table is distributed, or will be while this process serves.
    const changes = tables.map((table) => `DELETE FROM ${escapeIdentifier(table)} WHERE false;`);
    this.#begin = `DO 'BEGIN ${changes.join(' ').replaceAll("'", "''")} END'`;
  }

  override async connect(): Promise<Connection> {
    const adapter = await super.connect();
    adaptEngine(adapter, this.#isSharded);
    const start = adapter.startTransaction.bind(adapter);
    adapter.startTransaction = (isolationLevel) =>
      this.#isSharded() ? this.#startOnShards(start, isolationLevel) : start(isolationLevel);
    return adapter;
  }

  async #startOnShards(
    start: Connection['startTransaction'],
    isolationLevel: Parameters<Connection['startTransaction']>[0],
  ): ReturnType<Connection['startTransaction']> {
    if (isolationLevel?.startsWith('READ ') === false) {
      throw new TypeError(
        `a transaction can't use isolation level ${isolationLevel}, because Citus always reads distributed tables as READ COMMITTED`,
      );
    }
    const transaction = await start(isolationLevel);
    const run = (sql: string) => transaction.executeRaw({ sql, args: [], argTypes: [] });
    try {
      await run(this.#begin);
    } catch (error) {
      await run('ROLLBACK').catch(() => undefined);
      await transaction.rollback();
      throw error;
    }
    return transaction;
  }
}

interface Extendable {
  $extends(extension: object): unknown;
}

/**
 * Extends a client with an extension that adds members, and leaves the types of existing members unchanged.
 *
 * @throws TypeError if Prisma returns something else
 */
export function extended<Client extends Extendable, Members extends object>(
  client: Client,
  extension: object,
  members: Members,
): Client & Members {
  const result: unknown = client.$extends(extension);
  if (!isExtended(client, members, result)) {
    throw new TypeError("Prisma's $extends returned something other than a client");
  }
  return result;
}

function isExtended<Client extends object, Members extends object>(
  _client: Client,
  members: Members,
  result: unknown,
): result is Client & Members {
  const names = ['$extends', '$transaction', ...Object.keys(members)];
  return result instanceof Object && names.every((name) => name in result);
}

/** Prisma's filter conditions that match a text against a pattern. */
const PATTERNS = new Set(['contains', 'startsWith', 'endsWith']);

/**
 * Makes PostgreSQL plan the statements of one transaction for their values. Otherwise, sessions use generic plans, because a
 * prepared statement is used for all values.
 */
export const PLAN_BY_VALUE = 'SET LOCAL plan_cache_mode = force_custom_plan';

/**
 * Whether a call filters rows by a pattern. A trigram index is best for a rare pattern, and the index on the sort order for a
 * common one. With a generic plan, a rare pattern would read the whole table.
 */
function isPlannedByValue(operation: string, args: unknown): boolean {
  const isRead = operation.startsWith('find') || operation === 'count';
  return isRead && isJsonObject(args) && hasPattern(args['where']);
}

function hasPattern(condition: unknown): boolean {
  if (Array.isArray(condition)) {
    return condition.some(hasPattern);
  }
  return (
    isJsonObject(condition) &&
    Object.entries(condition).some(([name, value]) => PATTERNS.has(name) || hasPattern(value))
  );
}
