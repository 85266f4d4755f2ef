import {
  bindMigrationAwareSqlAdapterFactory,
  ColumnTypeEnum,
  type ErrorCapturingSqlMigrationAwareDriverAdapterFactory,
} from '@prisma/driver-adapter-utils';
import { PrismaPg } from '@prisma/adapter-pg';
import { Pool, type QueryArrayConfig, types } from 'pg';
import type { MigrationSession } from '../../migrations/session.ts';

/** Prisma's adapter over one session, without the faults of @prisma/adapter-pg 7.10 that hinder the schema engine. */
export function schemaEngineAdapter(
  session: MigrationSession,
): ErrorCapturingSqlMigrationAwareDriverAdapterFactory {
  const { pool, charColumns } = readingCatalogs(session);
  const factory = new PrismaPg(pool, { schema: session.schema });
  const connect = async (): ReturnType<typeof factory.connect> => {
    const adapter = await factory.connect();
    const queryRaw = adapter.queryRaw.bind(adapter);
    adapter.queryRaw = async (query) => {
      const result = await queryRaw(query);
      for (const column of charColumns.get(result.rows) ?? []) {
        result.columnTypes[column] = ColumnTypeEnum.Character;
      }
      return result;
    };
    // The adapter splits a script at every semicolon, even within strings, and commits each piece. Sent as it is,
    // PostgreSQL applies all of it or nothing.
    adapter.executeScript = async (script) => {
      await adapter.executeRaw({ sql: script, args: [], argTypes: [] });
    };
    return adapter;
  };
  return bindMigrationAwareSqlAdapterFactory({
    provider: factory.provider,
    adapterName: factory.adapterName,
    connect,
    // Only `diff` asks for a shadow database, to replay the migrations in: it is given the connected one.
    connectToShadowDb: connect,
  });
}

const char: number = types.builtins.CHAR;

/**
 * The engine reads PostgreSQL's catalogs, whose one-letter codes have the type "char". The adapter refuses that type
 * (prisma/orm#27403), so the adapter gets them as text, and the engine as characters, by the noted columns.
 */
function readingCatalogs(session: MigrationSession): {
  pool: Pool;
  charColumns: WeakMap<object, number[]>;
} {
  const charColumns = new WeakMap<object, number[]>();
  const query = async (config: QueryArrayConfig): Promise<unknown> => {
    const result = await session.query(config);
    // Nobody reads the results of a script of several statements.
    if (Array.isArray(result)) return result;
    const columns: number[] = [];
    for (const [column, field] of result.fields.entries()) {
      if (field.dataTypeID !== char) continue;
      field.dataTypeID = types.builtins.TEXT;
      columns.push(column);
    }
    charColumns.set(result.rows, columns);
    return result;
  };
  // The adapter takes a pool. This one never connects: all queries are the session's.
  const pool = new Proxy(new Pool(), {
    get: (target, property): unknown =>
      property === 'query' ? query : Reflect.get(target, property, target),
  });
  return { pool, charColumns };
}
