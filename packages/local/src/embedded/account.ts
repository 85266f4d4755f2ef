import { stat } from 'node:fs/promises';
import { StartupFailure } from '@store-gateway/ops';
import { type Account, runProgram } from './run-program.ts';
import { ifExists } from './system-error-code.ts';

/**
 * The user to run PostgreSQL as; undefined means the user of this process. PostgreSQL refuses to run as root, and only
 * the owner of its files can run it.
 *
 * @param home the folder of the embedded PostgreSQL, which may not exist yet
 * @throws StartupFailure when no user can run it from this process
 */
export async function accountFor(home: string): Promise<Account | undefined> {
  const owner = await ifExists(stat(home));
  const self = process.geteuid?.();
  if (self !== 0) {
    if (owner === undefined || owner.uid === self) return undefined;
    throw new StartupFailure(
      `The database in ${home} (DATA_DIR) belongs to the user ${await nameOf(owner)}: run this as that user, or set another DATA_DIR`,
    );
  }
  if (owner?.uid === 0) {
    throw new StartupFailure(
      `The database in ${home} (DATA_DIR) belongs to root, and PostgreSQL refuses to run as root: give it to another user with chown -R`,
    );
  }
  const account = owner ?? (await accountNamed('postgres')) ?? (await accountNamed('nobody'));
  if (account !== undefined) return { uid: account.uid, gid: account.gid };
  throw new StartupFailure(
    'PostgreSQL refuses to run as root, and neither of the users postgres and nobody exists: run this as another user, or set DATABASE_URL',
  );
}

/** A user's name, or its number if it has no name. */
export async function nameOf({ uid }: Account): Promise<string> {
  return (await id('-un', String(uid))) ?? String(uid);
}

async function accountNamed(name: string): Promise<Account | undefined> {
  const [uid, gid] = await Promise.all([id('-u', name), id('-g', name)]);
  return uid && gid ? { uid: Number(uid), gid: Number(gid) } : undefined;
}

async function id(option: string, user: string): Promise<string | undefined> {
  const { error, stdout } = await runProgram('id', [option, user], undefined);
  return error === undefined ? stdout.trim() : undefined;
}
