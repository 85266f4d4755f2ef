export {
  applyMigrations,
  expectMigrations,
  findMigrated,
  type MigratedDatabase,
  type MigrationOptions,
  type OnSlowWait,
  reportSlowWait,
} from './migrations/apply.ts';
export { distributeTables, type TableToDistribute } from './migrations/distribution/distribute.ts';
export { migrationScript } from './migrations/script.ts';
