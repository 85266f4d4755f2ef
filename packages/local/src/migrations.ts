export {
  applyMigrations,
  expectMigrations,
  findMigrated,
  type MigratedDatabase,
  type MigrationOptions,
  reportSlowWait,
} from './migrations/apply.ts';
export { distributeTables, type TableToDistribute } from './migrations/distribution/distribute.ts';
export { migrationScript } from './migrations/apply.ts';
