import { urlOf } from './attach.ts';
import { expectCluster, openCluster } from './cluster.ts';
import { inDataDirectory } from './data-directory.ts';
import { becomeMember, type Membership } from './membership.ts';

export interface EmbeddedPostgres extends Membership {
  /** Its address for node-postgres, over the Unix socket, password included. Stays the same. */
  readonly url: string;
}

/**
 * Joins the embedded PostgreSQL of a data folder: attaches to the live one, or starts it, or makes
 * it first. When the server is lost it is started again in the background, at the same address.
 * @param dataDirectory absolute path
 * @param meanwhile called whenever the server has been launched and is yet to be ready
 * @throws StartupFailure when it cannot be made, started or reached
 */
export function joinEmbeddedPostgres(
  dataDirectory: string,
  meanwhile?: () => void,
): Promise<EmbeddedPostgres> {
  return inDataDirectory(dataDirectory, async () => {
    const cluster = await openCluster(dataDirectory);
    const { leave } = await becomeMember(cluster, meanwhile);
    return { url: urlOf(cluster), leave };
  });
}

/** @throws StartupFailure if there is none in a data folder yet, or the folder can't be looked into */
export function expectEmbeddedPostgres(dataDirectory: string): Promise<void> {
  return inDataDirectory(dataDirectory, () => expectCluster(dataDirectory));
}
