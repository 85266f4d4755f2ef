import type { ClusterNames } from '@gateway/embedded-postgres/cluster';
import type { Gateway } from '../gateway.ts';

/**
 * What pg_stat_activity calls a connection, unless its URL (`application_name`) or PGAPPNAME says otherwise.
 *
 * @param purpose `serve`, or the name of a command
 */
export function applicationName(
  { serviceName }: Pick<Gateway, 'serviceName'>,
  purpose: string,
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
