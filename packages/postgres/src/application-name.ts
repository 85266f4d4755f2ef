/** What a process of ours is to the database at that moment. */
export type DatabaseRole =
  'serve' | 'keys' | 'documents' | 'deprecations' | 'seed' | 'backup' | 'migrate' | 'membership';

/** What pg_stat_activity calls a connection, unless its URL (`application_name`) or PGAPPNAME says otherwise. */
export function applicationName(role: DatabaseRole): string {
  return `animal-store-gateway ${role}`;
}
