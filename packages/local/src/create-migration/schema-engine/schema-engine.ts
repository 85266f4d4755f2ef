import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type {
  MigrationList,
  SchemaEngine as Engine,
  SchemaFilter,
} from '@prisma/schema-engine-wasm';
import * as bindings from '@prisma/schema-engine-wasm/schema_engine_bg';
import type { Migration } from '../../migrations/files.ts';
import type { MigrationSession } from '../../migrations/session.ts';
import { schemaEngineAdapter } from './adapter.ts';

// TypeScript has this in its browser library only.
declare const WebAssembly: {
  instantiate(
    code: Uint8Array,
    imports: Record<string, object>,
  ): Promise<{ instance: { exports: { __wbindgen_start: () => void } } }>;
};

// Where the engine reports a panic, which ends the process: the call never returns, and nobody can catch its failure.
Object.assign(globalThis, {
  PRISMA_WASM_PANIC_REGISTRY: {
    set_message: (message: string) => {
      throw new Error(`Prisma's schema engine panicked: ${message}`);
    },
  },
});

const { __wbg_set_wasm: bind, SchemaEngine } = bindings;
await loadEngine();

// The package's own entry imports the .wasm file as a module, for which Node prints a warning.
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

/** The engine leaves the timer of its advisory lock running, which would delay the end of a command by 10 s. */
function unreferencedTimeout(callback: () => void, milliseconds: number): NodeJS.Timeout {
  return setTimeout(callback, milliseconds).unref();
}

/** Prisma's schema engine, working on the database of this session. Dispose of it when done. */
export function openSchemaEngine(session: MigrationSession): Promise<Engine> {
  return SchemaEngine.new({ datamodels: undefined }, () => undefined, schemaEngineAdapter(session));
}

/** The migrations in the shape of the engine's commands. */
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
