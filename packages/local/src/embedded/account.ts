import { stat } from 'node:fs/promises';
import { StartupFailure } from '@store-gateway/ops';
import { execFile, type ExecFileException } from 'node:child_process';

/** Returns the code of an error from the file system (`ENOENT`) or from PostgreSQL (`57P03`), if it has one. */
export function systemErrorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined;
}

/**
 * Awaits a file system call, and returns undefined if the file doesn't exist.
 *
 * @throws any other error from the call
 */
export async function ifExists<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Returns the user to run PostgreSQL as; undefined means the process's own user. PostgreSQL refuses to run as root, and only the
 * owner of its files can run it.
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
      `The database in ${home} (DATA_DIR) belongs to the user ${await nameOf(owner)}: run this program as that user, or set a different DATA_DIR`,
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
    'PostgreSQL refuses to run as root, and neither of the users postgres and nobody exists: run this program as a different user, or set DATABASE_URL',
  );
}

/** Returns a user's name, or its id if it has no name. */
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

/** Options for `spawn` that run PostgreSQL as another user, when this process is root. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
}

/**
 * Options for PostgreSQL's programs. Variables named PG* and LC_* would affect the programs, and the programs would keep the
 * caller's working directory in use.
 */
export const processOptions = {
  env: { LC_ALL: 'C', PATH: '/usr/bin:/bin' },
  cwd: '/',
} as const;

/** A program's output, and how it ended. */
interface ProgramResult {
  readonly stdout: string;
  readonly stderr: string;
  /** Undefined if it ended with exit code 0. */
  readonly error: ExecFileException | undefined;
}

/** Runs a program to its end, as the given user. Never rejects. */
export function runProgram(
  program: string,
  parameters: readonly string[],
  account: Account | undefined,
): Promise<ProgramResult> {
  return new Promise((resolve) => {
    execFile(program, parameters, { ...processOptions, ...account }, (error, stdout, stderr) => {
      resolve({ error: error ?? undefined, stdout, stderr });
    });
  });
}

/** Returns the line of a program's output or log that explains its failure, without the time and the process id. */
export function fatalLine(output: string): string | undefined {
  const lines = output.split('\n').filter((line) => line.trim() !== '');
  const line =
    lines.findLast((each) => /\b(?:PANIC|FATAL|ERROR|error)\b/.test(each)) ?? lines.at(-1);
  return line?.replace(/^.*?\b(?=(?:PANIC|FATAL|ERROR): )/, '').replaceAll(/\s+/g, ' ');
}
