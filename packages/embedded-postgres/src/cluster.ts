import { randomBytes } from 'node:crypto';
import { chown, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StartupFailure } from '@gateway/errors/startup-failure';
import { type Account, accountFor } from './account.ts';
import { makeFolderAtomically } from './atomic-folder.ts';
import { resolveDataDirectory } from './data-directory.ts';
import { systemErrorCode } from './system-error-code.ts';
import { preparePrograms } from './programs.ts';
import { decisiveLine, runProgram } from './run-program.ts';
import { socketDirectoryOf } from './socket-directory.ts';

/** A PostgreSQL of ours on disk. All paths are absolute and without symbolic links. */
export interface Cluster {
  readonly dataDirectory: string;
  /** Holds all the rest: the password, PostgreSQL's own folder, its logs, usually its socket. */
  readonly home: string;
  /** PostgreSQL's own folder. */
  readonly directory: string;
  readonly socketDirectory: string;
  readonly password: string;
  readonly account: Account | undefined;
}

/** The role that owns everything in it. */
export const clusterUser = 'animal_store';

/**
 * Opens the cluster of a data folder; makes it when there is none. Several processes may do so at
 * once: they all end with the same one.
 * @throws StartupFailure
 */
export async function openCluster(givenDirectory: string): Promise<Cluster> {
  const dataDirectory = await resolveDataDirectory(givenDirectory);
  const home = join(dataDirectory, 'postgres');
  const account = await accountFor(home);
  const found = await readPassword(home);
  if (found === undefined) await createCluster(dataDirectory, home, account);
  const password = found ?? (await readPassword(home));
  if (password === undefined) {
    throw new StartupFailure(
      `DATA_DIR: ${home} exists but is not a database of this program; move it away, or set another DATA_DIR`,
    );
  }
  const socketDirectory = socketDirectoryOf(home, password);
  const directory = join(home, 'cluster');
  return { dataDirectory, home, directory, socketDirectory, password, account };
}

/** @throws StartupFailure if a data folder has no cluster: for whoever would rather hear of it than have one made */
export async function expectCluster(dataDirectory: string): Promise<void> {
  const home = join(await resolveDataDirectory(dataDirectory), 'postgres');
  if ((await readPassword(home)) === undefined) {
    throw new StartupFailure(
      `DATA_DIR: there is no store in ${dataDirectory}; set it to the folder of the service's`,
    );
  }
}

async function readPassword(home: string): Promise<string | undefined> {
  try {
    return await readFile(join(home, 'password'), 'utf8');
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

async function createCluster(
  dataDirectory: string,
  home: string,
  account: Account | undefined,
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
      `--username=${clusterUser}`,
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
      `PostgreSQL could not make its database in DATA_DIR (${dataDirectory}): ${decisiveLine(stderr) ?? error.message}`,
      { cause: error },
    );
  });
}
