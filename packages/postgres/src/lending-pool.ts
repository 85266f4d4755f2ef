import { Pool, type PoolClient, type PoolConfig } from 'pg';
import { type Prepared, TextQuery } from './text-query.ts';
import './pg-internals.ts';

type OnConnected = (
  error: Error | undefined,
  client: PoolClient | undefined,
  done: (release?: unknown) => void,
) => void;

/**
 * A pool of node-postgres in which a lone statement costs less: it gets a connection that is idle at once, without pg's timer and
 * tick, and if its parameters are texts, it is a TextQuery.
 */
export class LendingPool extends Pool {
  /** Connections that are pipelined take pg's own queries alone. */
  readonly #runsTexts: boolean;

  constructor(config: PoolConfig) {
    super(config);
    this.#runsTexts = config.pipeline !== true;
  }

  /** A proxy of a pool, which changes its statements, does not. */
  static runsTexts(pool: object): pool is LendingPool {
    return #runsTexts in pool && pool.#runsTexts;
  }

  /** Runs a kept statement of parameters that need no conversion. @throws what node-postgres throws */
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
        // As node-postgres does: from the socket's event, no stack leads to who has asked.
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
    if (this.idleCount > 0 && this.waitingCount === 0 && !this.ending) {
      // oxlint-disable no-underscore-dangle -- pg's own names
      this._pendingQueue.push({ callback });
      this._pulseQueue();
      // oxlint-enable no-underscore-dangle
    } else {
      super.connect(callback);
    }
  }
}
