import type { TextRow } from '@store-gateway/ops';
import {
  type Connection,
  type OnRows,
  type Submittable,
  Pool,
  type PoolClient,
  type PoolConfig,
} from 'pg';
import './pg-internals.ts';
import { isFailureOfWorker, isValueError } from './errors.ts';

/** A prepared statement's name and text. */
interface Prepared {
  readonly name: string;
  readonly text: string;
}

/**
 * A prepared statement whose parameters and results are texts. node-postgres's own query copies its configuration property by
 * property, requests a description of each result, and builds a parser from it: for a single request, that costs as much as the
 * rest of the driver.
 */
class TextQuery implements Submittable {
  readonly name: string;
  readonly text: string;
  /** Set by the client. */
  callback: OnRows<readonly TextRow[]> | undefined;
  readonly #values: TextRow;
  readonly #rows: TextRow[] = [];

  constructor({ name, text }: Prepared, values: TextRow) {
    this.name = name;
    this.text = text;
    this.#values = values;
  }

  submit(connection: Connection): Error | null {
    const { name, text } = this;
    const { parsedStatements, submittedNamedStatements, stream } = connection;
    const known = parsedStatements[name] ?? submittedNamedStatements[name];
    if (known !== undefined && known !== text) {
      return new Error(`a different statement is already prepared as ${name}`);
    }
    stream.cork();
    try {
      if (known === undefined) {
        connection.parse({ name, text, types: [] }, false);
        submittedNamedStatements[name] = text;
      }
      connection.bind({ statement: name, values: [...this.#values] }, false);
      connection.execute({}, false);
      connection.sync();
    } finally {
      stream.uncork();
    }
    return null;
  }

  handleDataRow({ fields }: { readonly fields: TextRow }): void {
    this.#rows.push(fields);
  }

  handleCommandComplete(): void {
    // The rows are complete when the server is ready again.
  }

  handleError(error: Error): void {
    this.callback?.(error, []);
  }

  handleReadyForQuery(): void {
    this.callback?.(null, this.#rows);
  }
}

/** Whether a statement's parameters need no conversion, so that it can be a TextQuery. */
export function areTexts(values: readonly unknown[]): values is TextRow {
  return values.every((value) => typeof value === 'string' || value === null);
}

/**
 * Returns a client to its pool after PostgreSQL rejected a statement's values or lost a Citus worker. The session is still
 * usable, but pg's pool would close the connection after any error.
 */
function releaseIfUsable(client: PoolClient): void {
  const release = client.release.bind(client);
  client.release = (error) => {
    release(isValueError(error) || isFailureOfWorker(error) ? undefined : error);
  };
}

type OnConnected = (
  error: Error | undefined,
  client: PoolClient | undefined,
  done: (release?: unknown) => void,
) => void;

/**
 * A node-postgres pool with less overhead for a single statement. The statement gets an idle connection immediately, without pg's
 * timer and tick. If its parameters are texts, it is a TextQuery.
 */
export class LendingPool extends Pool {
  /** False for pipelined connections, which only accept pg's own queries. */
  readonly #runsTexts: boolean;

  constructor(config: PoolConfig) {
    super(config);
    this.#runsTexts = config.pipeline !== true;
  }

  /** Whether a pool runs TextQueries. A proxy around a pool doesn't, because it rewrites statements. */
  static runsTexts(pool: object): pool is LendingPool {
    return #runsTexts in pool && pool.#runsTexts;
  }

  /** Runs a prepared statement whose parameters need no conversion. @throws node-postgres's error */
  async runTexts(
    statement: Prepared,
    values: readonly (string | null)[],
  ): Promise<readonly (readonly (string | null)[])[]> {
    try {
      return await new Promise((resolve, reject) => {
        this.query(new TextQuery(statement, values), (error, rows) => {
          if (error == null) {
            resolve(rows);
          } else {
            reject(error);
          }
        });
      });
    } catch (error) {
      if (error instanceof Error) {
        // node-postgres does the same, because the stack of a socket event doesn't contain the caller.
        Error.captureStackTrace(error);
      }
      throw error;
    }
  }

  override connect(): Promise<PoolClient>;
  override connect(callback: OnConnected): void;
  override connect(callback?: OnConnected): Promise<PoolClient> | void {
    if (callback === undefined) {
      return super.connect();
    }
    const onConnected: OnConnected = (error, client, done) => {
      if (client !== undefined) {
        releaseIfUsable(client);
      }
      callback(error, client, done);
    };
    if (this.idleCount > 0 && this.waitingCount === 0 && !this.ending) {
      // oxlint-disable no-underscore-dangle -- pg's own names
      this._pendingQueue.push({ callback: onConnected });
      this._pulseQueue();
      // oxlint-enable no-underscore-dangle
    } else {
      super.connect(onConnected);
    }
  }
}
