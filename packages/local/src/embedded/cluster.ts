import { randomBytes } from 'node:crypto';
import { chown, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StartupFailure } from '@store-gateway/ops';
import { accountFor } from './account.ts';
import { makeFolderAtomically } from './atomic-folder.ts';
import { resolveDataDirectory } from './data-directory.ts';
import { ifExists } from './system-error-code.ts';
import { preparePrograms } from './programs.ts';
import { type Account, decisiveLine, runProgram } from './run-program.ts';
import { socketDirectoryOf } from './socket-directory.ts';

/** Names of a cluster: the same for every process that shares it, in every version. */
export interface ClusterNames {
  /** PostgreSQL's superuser, the owner of everything. */
  readonly user: string;
  /** Begins the names of connections in pg_stat_activity. */
  readonly application: string;
}

/** An embedded PostgreSQL on disk. All paths are absolute and without symbolic links. */
export interface Cluster extends ClusterNames {
  readonly dataDirectory: string;
  /** Holds all the rest: the password, PostgreSQL's own folder, its logs, usually its socket. */
  readonly home: string;
  /** PostgreSQL's own folder. */
  readonly directory: string;
  readonly socketDirectory: string;
  readonly password: string;
  readonly account: Account | undefined;
}

/**
 * Opens the cluster of a data folder, made if there is none. Several processes may do so at once: they all end with the
 * same one.
 *
 * @throws StartupFailure
 */
export async function openCluster(givenDirectory: string, names: ClusterNames): Promise<Cluster> {
  const dataDirectory = await resolveDataDirectory(givenDirectory);
  const home = join(dataDirectory, 'postgres');
  const account = await accountFor(home);
  let password = await readPassword(home);
  if (password === undefined) {
    await createCluster(dataDirectory, home, account, names);
    password = await readPassword(home);
  }
  if (password === undefined) {
    throw new StartupFailure(
      `DATA_DIR: ${home} exists but is not a database of this program; move it away, or set another DATA_DIR`,
    );
  }
  const socketDirectory = socketDirectoryOf(home, names.user, password);
  const directory = join(home, 'cluster');
  return { ...names, dataDirectory, home, directory, socketDirectory, password, account };
}

/** Whether a data folder has a cluster. */
export async function hasCluster(dataDirectory: string): Promise<boolean> {
  const home = join(await resolveDataDirectory(dataDirectory), 'postgres');
  return (await readPassword(home)) !== undefined;
}

/** @throws StartupFailure if a data folder has no cluster: for callers that must not make one */
export async function expectCluster(dataDirectory: string): Promise<void> {
  if (!(await hasCluster(dataDirectory))) {
    throw new StartupFailure(
      `DATA_DIR: there is no store in ${dataDirectory}; set it to the service's data folder`,
    );
  }
}

function readPassword(home: string): Promise<string | undefined> {
  return ifExists(readFile(join(home, 'password'), 'utf8'));
}

async function createCluster(
  dataDirectory: string,
  home: string,
  account: Account | undefined,
  { user }: ClusterNames,
): Promise<void> {
  const { initdb } = await preparePrograms(dataDirectory, account);
  await makeFolderAtomically(home, async (draft) => {
    const passwordFile = join(draft, 'password');
    // On the disk before the cluster is: without it, nobody could get in after a power cut.
    await writeFile(passwordFile, randomBytes(32).toString('hex'), { mode: 0o600, flush: true });
    if (account !== undefined) {
      await chown(passwordFile, account.uid, account.gid);
      await chown(draft, account.uid, account.gid);
    }
    const options = [
      `--pgdata=${join(draft, 'cluster')}`,
      `--username=${user}`,
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--no-instructions',
    ];
    const { error, stderr } = await runProgram(initdb, options, account);
    if (error === undefined) return;
    throw new StartupFailure(
      `PostgreSQL could not create its database in DATA_DIR (${dataDirectory}): ${decisiveLine(stderr) ?? error.message}`,
      { cause: error },
    );
  });
}
