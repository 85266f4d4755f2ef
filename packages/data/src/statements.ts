import type {
  CreateBatcher,
  RunStatement as RunTextStatement,
  Statement,
  TextRow,
} from '@store-gateway/ops';
import { createHash } from 'node:crypto';

/** The value of a parameter as text, or the texts of an array. */
export type ParameterValue = string | null | readonly (string | null)[];

/** Runs a statement on its own connection. */
export type RunStatement = RunTextStatement<ParameterValue>;

/**
 * Runs statements in one transaction. `begin` is the SQL that begins it. The transaction is committed unless `body` resolves
 * with undefined.
 *
 * @throws any error that `body` throws; a plain Error is treated as if the database were unavailable
 */
export type RunTransaction = <Result>(
  begin: string,
  body: (run: RunStatement) => Promise<Result | undefined>,
) => Promise<Result | undefined>;

/** Detects that a database has become sharded by Citus since startup. */
interface LaterSharding {
  /** Whether the database is already known to have become sharded. */
  readonly hasHappened: () => boolean;
  /** Returns whether a statement failed because the database has become sharded. */
  readonly isCauseOf: (error: unknown) => Promise<boolean>;
}

/** How the statements of all tables are run. */
export interface TableOptions {
  /** `read` runs statements that read, `write` runs statements that write. */
  readonly read: RunStatement;
  readonly write: RunStatement;
  /** Runs page statements on a sharded database, which may wait for any of its servers. Defaults to `read`. */
  readonly readPages?: RunStatement;
  /** Defaults to `batcherFactory()`. */
  readonly createBatcher: CreateBatcher;
  /** Whether the database rejected a statement because of its values. By default, the error's SQLSTATE decides. */
  readonly isFault: (error: unknown) => boolean;
  /** Whether Citus runs the statements, on tables that may be distributed. If so, statements must be routable to shards. */
  readonly isSharded?: boolean;
  /** For a database that isn't sharded yet: detects later sharding. */
  readonly laterSharding?: LaterSharding;
  /** Runs audited writes to a sharded database, and those with an idempotency key. */
  readonly transaction: RunTransaction;
  /** Called when statements have handled a call to a model. */
  readonly onAnswer?: (model: string, operation: string) => void;
}

/** A pool of node-postgres, or one of its clients. */
interface Queryable {
  /** node-postgres's `query`, whose rows must be lists of texts. */
  readonly query: (config: {
    name: string;
    text: string;
    values: unknown[];
    rowMode: 'array';
    types: { getTypeParser: () => (text: string) => string };
  }) => Promise<{ readonly rows: readonly (string | null)[][] }>;
}

const asText = { getTypeParser: () => (text: string) => text };

/** Returns a function that runs statements on a node-postgres pool. Reads need sessions with the READ_SETTINGS. */
export function runOn(pool: Queryable): RunStatement {
  return async ({ name, preparedAs = name, text }, parameters) => {
    const { rows } = await pool.query({
      name: preparedAs,
      text,
      values: [...parameters],
      rowMode: 'array',
      types: asText,
    });
    return rows;
  };
}

/**
 * Settings of sessions for read statements, in the format of a connection's `options`. They make PostgreSQL read rows from an
 * index, in its order. For a comparison of rows, PostgreSQL estimates only the first column, so it may choose an index on fewer
 * columns, and read and sort all of that index's rows; or it may read a whole table instead of looking up a few ids. A cached
 * plan must be good for any values. With `jit`, an unavoidable sort would seem so expensive that PostgreSQL would spend 0.2 s
 * compiling it (https://www.postgresql.org/docs/current/jit-decision.html).
 */
export const READ_SETTINGS = [
  'plan_cache_mode=force_generic_plan',
  'enable_sort=off',
  'enable_incremental_sort=off',
  'enable_hashjoin=off',
  'enable_mergejoin=off',
  'jit=off',
]
  .map((setting) => `-c ${setting}`)
  .join(' ');

/**
 * Settings of all sessions on a sharded database. Statements that aren't routed to one shard are planned for their values,
 * which is PostgreSQL's default. Citus sends dates to its workers in the session's DateStyle, but the workers would parse them
 * in their own DateStyle.
 */
export const SHARDED_SETTINGS = '-c plan_cache_mode=auto -c DateStyle=ISO';

/** The two forms of a statement. */
export interface BatchStatements {
  /** The statement for a batch: each parameter is a list with a value for each request. */
  readonly several: Statement;
  /**
   * The statement for a single request: parameters are plain values, which cost the database less than lists. The result has
   * the same columns.
   */
  readonly single: Statement;
}

export function batchStatements(
  name: string,
  textOf: (size: keyof BatchStatements) => string,
): BatchStatements {
  return {
    several: { name, text: textOf('several') },
    single: { name, preparedAs: `${name}:one`, text: textOf('single') },
  };
}

/** @param lists the parameters, with a value for each request */
export function runBatch(
  run: RunStatement,
  { several, single }: BatchStatements,
  lists: readonly (readonly (string | null)[])[],
): Promise<readonly TextRow[]> {
  return lists[0]?.length === 1
    ? run(
        single,
        lists.map(([value = null]) => value),
      )
    : run(several, lists);
}

/**
 * Batches requests whose inputs are lists. A batch runs as one list, and each request receives the results for its own
 * elements.
 *
 * @param isFault whether an error may be caused by only some of the requests; if so, the batch is split
 */
export function batchLists<Input, Output>(
  createBatcher: CreateBatcher,
  run: (inputs: readonly Input[]) => Promise<readonly Output[]>,
  isFault = (_error: unknown): boolean => false,
): (inputs: readonly Input[]) => Promise<readonly Output[]> {
  return createBatcher<readonly Input[], readonly Output[]>((batch) =>
    runOrSplit(batch, isFault, async (requests) => {
      const outputs = await run(requests.flatMap(({ input }) => input));
      let start = 0;
      for (const { input, resolve } of requests) {
        resolve(outputs.slice(start, start + input.length));
        start += input.length;
      }
    }),
  );
}

/** The number of parts into which a rejected batch is split. Usually a single request is at fault. */
const PARTS = 4;

/** A rejected batch of this size or smaller is split into single requests. */
const FEW = 8;

/**
 * Runs requests as one batch. If the database rejects it, the batch is split repeatedly, so that no request fails because of
 * another request's values.
 *
 * @throws an error that isn't caused by any request's values
 */
async function runOrSplit<Request extends { readonly reject: (error: unknown) => void }>(
  requests: readonly Request[],
  isFault: (error: unknown) => boolean,
  run: (requests: readonly Request[]) => Promise<void>,
): Promise<void> {
  try {
    await run(requests);
  } catch (error) {
    if (requests.length === 1 || !isFault(error)) {
      throw error;
    }
    const size = requests.length > FEW ? Math.ceil(requests.length / PARTS) : 1;
    const parts = Array.from({ length: Math.ceil(requests.length / size) }, (_, part) =>
      requests.slice(part * size, (part + 1) * size),
    );
    await runGroups(parts, isFault, run);
  }
}

/**
 * Runs groups of requests concurrently with `runOrSplit`. If a group throws, all its requests are rejected.
 *
 * @throws an error that isn't caused by any request's values, after all groups have run
 */
export async function runGroups<Request extends { readonly reject: (error: unknown) => void }>(
  groups: readonly (readonly Request[])[],
  isFault: (error: unknown) => boolean,
  run: (requests: readonly Request[]) => Promise<void>,
): Promise<void> {
  const outcomes = await Promise.allSettled(groups.map((group) => runOrSplit(group, isFault, run)));
  let failure: { readonly error: unknown } | undefined;
  for (const [index, outcome] of outcomes.entries()) {
    if (outcome.status === 'rejected') {
      const error: unknown = outcome.reason;
      groups[index]?.forEach(({ reject }) => reject(error));
      if (!isFault(error)) {
        failure = { error };
      }
    }
  }
  if (failure !== undefined) {
    throw failure.error;
  }
}

/**
 * Maximum number of shapes, of a model's changes or pages, whose statements are cached. The number is limited because every
 * connection keeps the statements prepared.
 */
const MAX_SHAPES = 128;

/**
 * Returns a function that returns a shape's statements. It caches the statements for the first shapes, and generates those for
 * further shapes at each call.
 */
export function statementsByShape<Shape>(
  nameOf: (shape: Shape) => string,
  make: (shape: Shape) => BatchStatements,
): (shape: Shape) => BatchStatements {
  const keptOf = memoizeByShape(nameOf, make);
  return (shape) => {
    const kept = keptOf(shape);
    if (kept !== undefined) {
      return kept;
    }
    const { several, single } = make(shape);
    return { several: preparedUnder(several, ''), single: preparedUnder(single, '') };
  };
}

/** Like `statementsByShape`, but returns undefined for shapes that aren't cached. */
export function memoizeByShape<Shape>(
  nameOf: (shape: Shape) => string,
  make: (shape: Shape) => BatchStatements,
): (shape: Shape) => BatchStatements | undefined {
  const kept = new Map<string, BatchStatements>();
  return (shape) => {
    const name = nameOf(shape);
    const known = kept.get(name);
    if (known !== undefined || kept.size === MAX_SHAPES) {
      return known;
    }
    const { several, single } = make(shape);
    // Names in PostgreSQL have at most 63 characters.
    const hash = createHash('sha256').update(name).digest('hex').slice(0, 12);
    const statements = {
      several: preparedUnder(several, `${several.name}:${hash}`),
      single: preparedUnder(single, `${single.name}:one:${hash}`),
    };
    kept.set(name, statements);
    return statements;
  };
}

function preparedUnder(statement: Statement, name: string): Statement {
  return { ...statement, preparedAs: name };
}

/** A parameter, as a column of a statement's parameter rows. */
export interface Parameter {
  readonly name: string;
  readonly pgType: string;
  readonly isList?: true | undefined;
}

/**
 * Returns SQL for numbered rows of parameters: from lists for a batch, or from plain values for a single row, which cost the
 * database less.
 *
 * @param first the number of the first parameter in the statement
 */
export function parameterRows(
  parameters: readonly Parameter[],
  size: keyof BatchStatements,
  first = 1,
): string {
  // Arrays are passed as texts, because `unnest` would flatten arrays of arrays completely.
  const values = parameters.map(
    ({ pgType, isList }, index) => `$${first + index}::${isList ? 'text' : pgType}`,
  );
  const rows =
    size === 'single'
      ? `(VALUES (${values.join(', ')}, 1))`
      : `unnest(${values.map((value) => `${value}[]`).join(', ')}) WITH ORDINALITY`;
  return `${rows} AS parameters (${parameters.map(({ name }) => name).join(', ')}, number)`;
}

/** Returns SQL that converts a parameter to its value. */
export function valueOf({ isList, pgType }: Omit<Parameter, 'name'>, reference: string): string {
  return isList ? `${reference}::${pgType}` : reference;
}

/** Quotes an identifier. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Quotes a text as a string literal. */
export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** Formats an array in the syntax that PostgreSQL parses (https://www.postgresql.org/docs/current/arrays.html#ARRAYS-IO). */
export function arrayLiteral(texts: readonly string[]): string {
  return `{${texts.map((text) => `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`).join(',')}}`;
}

/** Returns SQL that converts a time with a time zone to one without, in UTC. */
export function inUtc(time: string): string {
  return `(${time} AT TIME ZONE 'UTC')`;
}
