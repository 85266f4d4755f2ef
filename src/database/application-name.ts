import type { ClusterNames } from '@gateway/embedded-postgres/cluster';

/** What a process uses the database for. */
export type Purpose = 'serve' | 'keys' | 'documents' | 'deprecations' | 'seed' | 'migrate';

const APPLICATION = 'animal-store-gateway';

/** What pg_stat_activity calls a connection, unless its URL (`application_name`) or PGAPPNAME says otherwise. */
export function applicationName(purpose: Purpose): string {
  return `${APPLICATION} ${purpose}`;
}

/** The names of the embedded PostgreSQL, which processes of earlier versions share. */
export const EMBEDDED: ClusterNames = { user: 'animal_store', application: APPLICATION };
