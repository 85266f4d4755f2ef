import { adaptEngine, type Models, ofEngineOnly, unboundedCall } from '@store-gateway/data';
import { codedError } from '@store-gateway/ops/errors';
import { createExecutionSlots } from '@store-gateway/http/limits';
import { isJsonObject, loggedRequest, recorder, tracer } from '@store-gateway/ops';
import { type retryConflicts, timeStatement } from '@store-gateway/postgres';
import { PrismaPg } from '@prisma/adapter-pg';
import { escapeIdentifier, type Pool } from 'pg';
import type { PrismaClientLike } from '../definition.ts';

interface EngineCall {
  readonly model?: string | undefined;
  readonly operation: string;
  readonly args: unknown;
  readonly query: (args: unknown) => Promise<unknown>;
}

interface BoundOptions {
  /** Runs a query with a plan for its values. */
  readonly planByValue: (query: Promise<unknown>) => Promise<unknown>;
  /** Runs what is a transaction of its own, again where that may help. */
  readonly retry: typeof retryConflicts;
  /** Milliseconds that a call of a key waits for the key's other calls. */
  readonly waitMs: number;
}

/**
 * A query extension that records what Prisma's engine is asked for, and bounds what requests have it do: a call that would
 * read any number of rows is an error, and a key has so few in flight that it leaves connections to others. Commands aren't
 * bounded.
 *
 * @param connections that the engine and creates have
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
    // It has its connection already, and alone can't be run again.
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
  /** Those of the store. */
  readonly tables: readonly string[];
  /** Whether the database is sharded by Citus now. */
  readonly isSharded: () => boolean;
}

/**
 * Connects Prisma's engine, which reads what statements read. Citus commits in one phase what was written on one worker, before
 * what was written in tables that aren't distributed: after a crash between, a transaction would have happened by half. So there
 * each begins with a change of nothing, after which Citus commits in two phases.
 */
export class EngineAdapter extends PrismaPg {
  readonly #isSharded: () => boolean;
  readonly #begin: string;

  constructor(pool: Pool, { schema, tables, isSharded }: EngineOptions) {
    super(pool, { schema });
    this.#isSharded = isSharded;
    // One of them, at least, is distributed, or will be while this process serves.
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
        `a transaction can't be ${isolationLevel}, because rows of tables that Citus distributes are always read as READ COMMITTED`,
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

/**
 * Extends a client by what adds only members to its types.
 *
 * @throws TypeError if what Prisma returns is no such client
 */
export function extended<Client extends PrismaClientLike, Members extends object>(
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

function isExtended<Client extends PrismaClientLike, Members extends object>(
  _client: Client,
  members: Members,
  result: unknown,
): result is Client & Members {
  const names = ['$extends', '$transaction', ...Object.keys(members)];
  return result instanceof Object && names.every((name) => name in result);
}

/** Prisma's conditions that a text matches a pattern. */
const PATTERNS = new Set(['contains', 'startsWith', 'endsWith']);

/** Of the transaction alone. Sessions plan for any values, as prepared statements have to be good for all. */
export const PLAN_BY_VALUE = 'SET LOCAL plan_cache_mode = force_custom_plan';

/**
 * Whether a call reads rows by a pattern: for a rare one an index of trigrams is best, for a common one the index of the
 * order. A plan for any pattern would read a whole table for a rare one.
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
