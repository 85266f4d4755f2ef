export {
  applyMigrations,
  expectMigrations,
  findMigrated,
  type MigratedDatabase,
  type MigrationOptions,
} from './migrations/apply.ts';
export { distributeTables } from './migrations/distribution/distribute.ts';
export type { TableToDistribute } from './migrations/distribution/table.ts';
export { migrationScript } from './migrations/script.ts';
export { type OnSlowWait, reportSlowWait } from './migrations/slow-start.ts';
