import { PrismaPg } from '@prisma/adapter-pg';
import { adaptEngine } from '@store-gateway/data';
import { escapeIdentifier, type Pool } from 'pg';

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
