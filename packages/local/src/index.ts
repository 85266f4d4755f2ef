export { backUpEmbeddedPostgres } from './embedded/backup.ts';
export type { ClusterNames } from './embedded/server.ts';
export {
  expectEmbeddedPostgres,
  hasEmbeddedPostgres,
  joinEmbeddedPostgres,
} from './embedded/join.ts';
