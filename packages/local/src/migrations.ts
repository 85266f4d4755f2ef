export {
  applyMigrations,
  expectMigrations,
  findMigrated,
  type MigratedDatabase,
  type MigrationOptions,
  migrationScript,
  reportSlowWait,
} from './migrations/apply.ts';
export { distributeTables, type TableToDistribute } from './migrations/distribute.ts';
