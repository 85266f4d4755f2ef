import type { ClusterNames } from '@gateway/embedded-postgres/cluster';
import type { Gateway } from '../gateway.ts';

/** What a process uses the database for; a command of a store's own says its name. */
export type Purpose = string;

/** What pg_stat_activity calls a connection, unless its URL (`application_name`) or PGAPPNAME says otherwise. */
export function applicationName(
  { serviceName }: Pick<Gateway, 'serviceName'>,
  purpose: Purpose,
): string {
  return `${serviceName} ${purpose}`;
}

/** The names of the embedded PostgreSQL, which processes of earlier versions share. */
export function embeddedNames({
  databaseUser: user,
  serviceName: application,
}: Pick<Gateway, 'databaseUser' | 'serviceName'>): ClusterNames {
  return { user, application };
}
