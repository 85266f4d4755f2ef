import { PrismaPg } from '@prisma/adapter-pg';
import { adaptEngine } from '@store-gateway/data';
import { escapeIdentifier, type Pool } from 'pg';

/** Connects Prisma's engine, which reads what statements read. */
export class EngineAdapter extends PrismaPg {
  override async connect(): ReturnType<PrismaPg['connect']> {
    const adapter = await super.connect();
    adaptEngine(adapter, false);
    return adapter;
  }
}

/**
 * Connects Prisma's engine to a sharded database. Citus commits in one phase what was written on one worker, before what was
 * written in tables that aren't distributed: after a crash between, a transaction would have happened by half. So each begins
 * with a change of nothing, after which Citus commits in two phases.
 */
export class ShardedAdapter extends PrismaPg {
  readonly #begin: string;

  constructor(pool: Pool, schema: string, tables: readonly string[]) {
    super(pool, { schema });
    // One of them, at least, is distributed, or will be while this process serves.
    const changes = tables.map((table) => `DELETE FROM ${escapeIdentifier(table)} WHERE false;`);
    this.#begin = `DO 'BEGIN ${changes.join(' ').replaceAll("'", "''")} END'`;
  }

  override async connect(): ReturnType<PrismaPg['connect']> {
    const adapter = await super.connect();
    adaptEngine(adapter, true);
    const start = adapter.startTransaction.bind(adapter);
    adapter.startTransaction = async (isolationLevel) => {
      if (isolationLevel?.startsWith('READ ') === false) {
        throw new TypeError(
          `a transaction can't be ${isolationLevel}, as rows of tables that Citus distributes are always read as READ COMMITTED`,
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
    };
    return adapter;
  }
}
