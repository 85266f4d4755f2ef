import { PrismaPg } from '@prisma/adapter-pg';
import {
  bindMigrationAwareSqlAdapterFactory,
  ColumnTypeEnum,
  type ErrorCapturingSqlMigrationAwareDriverAdapterFactory,
} from '@prisma/driver-adapter-utils';
import type {
  SchemaEngine as Engine,
  MigrationList,
  SchemaFilter,
} from '@prisma/schema-engine-wasm';
import * as bindings from '@prisma/schema-engine-wasm/schema_engine_bg';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Pool, type QueryArrayConfig, types } from 'pg';
import type { Migration } from '../migrations/history.ts';
import type { MigrationSession } from '../migrations/session.ts';

/** Creates Prisma's adapter for one session, without the bugs of @prisma/adapter-pg 7.10 that break the schema engine. */
function schemaEngineAdapter(
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
    // The adapter splits a script at every semicolon, even within strings, and commits each piece. If the script is sent as
    // one message, PostgreSQL applies all of it or nothing.
    adapter.executeScript = async (script) => {
      await adapter.executeRaw({ sql: script, args: [], argTypes: [] });
    };
    return adapter;
  };
  return bindMigrationAwareSqlAdapterFactory({
    provider: factory.provider,
    adapterName: factory.adapterName,
    connect,
    // Only `diff` requests a shadow database, to replay the migrations in. It gets the connected database instead.
    connectToShadowDb: connect,
  });
}

const char: number = types.builtins.CHAR;

/**
 * Reads PostgreSQL's catalogs for the engine. Their one-letter codes have the type "char", which the adapter rejects
 * (prisma/orm#27403), so the adapter gets text instead. The affected columns are recorded, so the engine still gets characters.
 */
function readingCatalogs(session: MigrationSession): {
  pool: Pool;
  charColumns: WeakMap<object, number[]>;
} {
  const charColumns = new WeakMap<object, number[]>();
  const query = async (config: QueryArrayConfig): Promise<unknown> => {
    const result = await session.query(config);
    // The results of a script with several statements aren't used.
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
  // The adapter needs a pool. This one never connects: all queries run in the session.
  const pool = new Proxy(new Pool(), {
    get: (target, property): unknown =>
      property === 'query' ? query : Reflect.get(target, property, target),
  });
  return { pool, charColumns };
}

// TypeScript declares this only in its browser library.
declare const WebAssembly: {
  instantiate(
    code: Uint8Array,
    imports: Record<string, object>,
  ): Promise<{ instance: { exports: { __wbindgen_start: () => void } } }>;
};

// The engine reports a panic here. The process must end, because the call never returns and its failure can't be caught.
Object.assign(globalThis, {
  PRISMA_WASM_PANIC_REGISTRY: {
    set_message: (message: string) => {
      throw new Error(`Prisma's schema engine panicked: ${message}`);
    },
  },
});

const { __wbg_set_wasm: bind, SchemaEngine } = bindings;
await loadEngine();

// The package's own entry point imports the .wasm file as a module, for which Node prints a warning.
async function loadEngine(): Promise<void> {
  const file = new URL(
    'schema_engine_bg.wasm',
    import.meta.resolve('@prisma/schema-engine-wasm/schema_engine_bg'),
  );
  const imports = Object.entries(bindings).map(([name, imported]): [string, unknown] => [
    name,
    name.startsWith('__wbg_setTimeout_') ? unreferencedTimeout : imported,
  ]);
  const { instance } = await WebAssembly.instantiate(await readFile(file), {
    './schema_engine_bg.js': Object.fromEntries(imports),
  });
  const { __wbindgen_start: start } = instance.exports;
  bind(instance.exports);
  start();
}

/**
 * Like setTimeout, but lets the process end: the engine leaves the timer of its advisory lock running, which would delay the end
 * of a command by 10 s.
 */
function unreferencedTimeout(callback: () => void, milliseconds: number): NodeJS.Timeout {
  return setTimeout(callback, milliseconds).unref();
}

/** Opens Prisma's schema engine on this session's database. Dispose of it when done. */
export function openSchemaEngine(session: MigrationSession): Promise<Engine> {
  return SchemaEngine.new({ datamodels: undefined }, () => undefined, schemaEngineAdapter(session));
}

/** Converts migrations to the input format of the engine's commands. */
export async function migrationsInput(
  folder: URL,
  migrations: readonly Pick<Migration, 'name' | 'script'>[],
): Promise<{ migrationsList: MigrationList; filters: SchemaFilter }> {
  const lockfile = 'migration_lock.toml';
  return {
    migrationsList: {
      baseDir: fileURLToPath(folder),
      lockfile: {
        path: lockfile,
        content: await readFile(new URL(lockfile, folder), 'utf8'),
      },
      shadowDbInitScript: '',
      migrationDirectories: migrations.map(({ name, script }) => ({
        path: name,
        migrationFile: { path: 'migration.sql', content: { tag: 'ok', value: script } },
      })),
    },
    filters: { externalTables: [], externalEnums: [] },
  };
}
