import type { CreateBatcher, RunStatement as RunTextStatement } from '@store-gateway/ops';

/** A parameter as text, or the texts of an array. */
export type Parameter = string | null | readonly (string | null)[];

/** Runs a statement on a connection of its own. */
export type RunStatement = RunTextStatement<Parameter>;

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
