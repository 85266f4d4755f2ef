import type {
  CreateBatcher,
  RunStatement as RunTextStatement,
  Statement,
  TextRow,
} from '@store-gateway/ops';
import { createHash } from 'node:crypto';

/** The value of a parameter as text, or the texts of an array. */
export type ParameterValue = string | null | readonly (string | null)[];

/** Runs a statement on a connection of its own. */
export type RunStatement = RunTextStatement<ParameterValue>;

/**
 * Runs statements in one transaction. It is begun by a text, and committed unless `body` resolves with undefined.
 *
 * @throws also what `body` throws, an Error as if the database couldn't answer
 */
export type RunTransaction = <Result>(
  begin: string,
  body: (run: RunStatement) => Promise<Result | undefined>,
) => Promise<Result | undefined>;

/** Whether a database has become one of Citus. */
interface LaterSharding {
  /** As far as is known. */
  readonly hasHappened: () => boolean;
  /** Finds out whether a statement failed because of that. */
  readonly isCauseOf: (error: unknown) => Promise<boolean>;
}

/** How the statements of all tables are run. */
export interface TableOptions {
  /** Runs what reads, and what writes. */
  readonly read: RunStatement;
  readonly write: RunStatement;
  /** Runs the pages of a sharded database, which may wait for any of its servers; by default `read`. */
  readonly readPages?: RunStatement;
  /** By default that of a `batcherFactory()`. */
  readonly createBatcher: CreateBatcher;
  /**
   * Whether the database has executed a statement, and found fault with what it was given; by default, whether an error has a
   * SQLSTATE that says so.
   */
  readonly isFault: (error: unknown) => boolean;
  /** Whether Citus runs them, on tables that may be distributed: it needs statements that it can route to shards. */
  readonly isSharded?: boolean;
  /** Of a database that isn't sharded, but may become so. */
  readonly laterSharding?: LaterSharding;
  /** For writes of a sharded database that are audited or made once. */
  readonly transaction: RunTransaction;
  /** Called for each call of a model that statements have answered. */
  readonly onAnswer?: (model: string, operation: string) => void;
}

/** A pool of node-postgres, or one of its clients. */
interface Queryable {
  /** Its `query`, whose rows are to be lists of texts. */
  readonly query: (config: {
    name: string;
    text: string;
    values: unknown[];
    rowMode: 'array';
    types: { getTypeParser: () => (text: string) => string };
  }) => Promise<{ readonly rows: readonly (string | null)[][] }>;
}

const asText = { getTypeParser: () => (text: string) => text };

/** Runs statements on a pool of node-postgres; those that read need sessions with the READ_SETTINGS. */
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
 * Settings of sessions that run statements that read, as the `options` of a connection: rows are read off an index, in its
 * order. PostgreSQL estimates no more of a comparison of rows than its first column, and takes an index on fewer columns
 * for as good, to read all of its rows and sort them; and to read a whole table for as good as to look up a few ids. A
 * plan that is kept has to be good for any values. A sort that can't be avoided would seem so costly that PostgreSQL spends
 * 0.2 s to compile it (https://www.postgresql.org/docs/current/jit-decision.html).
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
 * Settings of all sessions on a sharded database: what isn't routed to one shard is planned by its values, which PostgreSQL
 * finds out by itself. Citus sends dates to its workers in the session's style, which they would read in their own.
 */
export const SHARDED_SETTINGS = '-c plan_cache_mode=auto -c DateStyle=ISO';

/** The statements of a batch. */
export interface BatchStatements {
  /** Its parameters are lists, with a value for each request. */
  readonly several: Statement;
  /** For a single request: its parameters are values, which takes the database less. Its columns are the same. */
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
 * Batches requests that are lists: all are run as one, and each gets what its own elements have got.
 *
 * @param isFault whether an error may be of some requests only, so that each is run alone
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
 * Runs requests as one batch. If the database rejects it, splits it further and further, so that no request fails because of
 * another's values.
 *
 * @throws what isn't the fault of any values
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
 * Runs groups of requests concurrently with `runOrSplit`. An error that it throws rejects all requests of its group.
 *
 * @throws what isn't the fault of any values, once all have run
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

/** Shapes of a model's changes or pages whose statements are kept, as each connection keeps them prepared. */
const MAX_SHAPES = 128;

/** Statements by the shapes of what they do: those that come first are kept, and there may be any number of others. */
export function statementsByShape<Shape>(
  nameOf: (shape: Shape) => string,
  make: (shape: Shape) => BatchStatements,
): (shape: Shape) => BatchStatements {
  const keptOf = keptByShape(nameOf, make);
  return (shape) => {
    const kept = keptOf(shape);
    if (kept !== undefined) {
      return kept;
    }
    const { several, single } = make(shape);
    return { several: preparedUnder(several, ''), single: preparedUnder(single, '') };
  };
}

/** Like `statementsByShape`, but returns undefined for shapes that aren't kept. */
export function keptByShape<Shape>(
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
    // PostgreSQL's names have 63 characters at most.
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

/** A parameter, as a column of the rows that a statement is given. */
export interface Parameter {
  readonly name: string;
  readonly pgType: string;
  readonly isList?: true | undefined;
}

/**
 * Rows of parameters with their numbers: lists of a batch's, or those of a single row, which take the database less.
 *
 * @param first the number of the first parameter in the statement
 */
export function parameterRows(
  parameters: readonly Parameter[],
  size: keyof BatchStatements,
  first = 1,
): string {
  // PostgreSQL would take arrays of arrays apart to their last values.
  const values = parameters.map(
    ({ pgType, isList }, index) => `$${first + index}::${isList ? 'text' : pgType}`,
  );
  const rows =
    size === 'single'
      ? `(VALUES (${values.join(', ')}, 1))`
      : `unnest(${values.map((value) => `${value}[]`).join(', ')}) WITH ORDINALITY`;
  return `${rows} AS parameters (${parameters.map(({ name }) => name).join(', ')}, number)`;
}

/** What a parameter stands for. */
export function valueOf({ isList, pgType }: Omit<Parameter, 'name'>, reference: string): string {
  return isList ? `${reference}::${pgType}` : reference;
}

/** A name between quotes. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** A name as the text of a literal. */
export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** An array as PostgreSQL reads it (https://www.postgresql.org/docs/current/arrays.html#ARRAYS-IO). */
export function arrayLiteral(texts: readonly string[]): string {
  return `{${texts.map((text) => `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`).join(',')}}`;
}

/** A time with a time zone, as one without. */
export function inUtc(time: string): string {
  return `(${time} AT TIME ZONE 'UTC')`;
}
