import { urlOf } from './attach.ts';
import { type ClusterNames, expectCluster, openCluster } from './cluster.ts';
import { inDataDirectory } from './data-directory.ts';
import { becomeMember, type Membership } from './membership.ts';

export interface EmbeddedPostgres extends Membership {
  /** Its address for node-postgres, over the Unix socket, password included. Stays the same. */
  readonly url: string;
}

/**
 * Joins the embedded PostgreSQL of a data folder: attaches to the live server, or starts it, or makes the cluster first.
 * A server that is lost is started again in the background, at the same address.
 *
 * @param dataDirectory absolute path
 * @param onLaunched called whenever a server has been launched and is not ready yet
 * @throws StartupFailure when it cannot be made, started or reached
 */
export function joinEmbeddedPostgres(
  dataDirectory: string,
  names: ClusterNames,
  onLaunched?: () => void,
): Promise<EmbeddedPostgres> {
  return inDataDirectory(dataDirectory, async () => {
    const cluster = await openCluster(dataDirectory, names);
    const { leave } = await becomeMember(cluster, onLaunched);
    return { url: urlOf(cluster), leave };
  });
}

/** @throws StartupFailure if a data folder has none yet, or can't be read */
export function expectEmbeddedPostgres(dataDirectory: string): Promise<void> {
  return inDataDirectory(dataDirectory, () => expectCluster(dataDirectory));
}
