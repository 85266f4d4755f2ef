import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { copyTree, temporaryDirectory } from '../temporary-directory.ts';

export const ROOT = join(import.meta.dirname, '../../..');

/** What is left out of a newcomer's copy. */
const NOT_COPIED = new Set(['.git', 'data', 'node_modules']);

/**
 * Creates the environment of a newcomer on this machine, with its own Node.js, who has just cloned the project and run
 * `npm ci`.
 */
export async function newcomer() {
  const home = await temporaryDirectory();
  const [project, scratch] = [join(home.path, 'animal-store'), join(home.path, 'scratch')];
  await Promise.all([mkdir(project), mkdir(scratch)]);
  const entries = await readdir(ROOT);
  await copyTree(
    project,
    entries.filter((name) => !NOT_COPIED.has(name)),
  );
  // The examples' packages are installed separately from the project's.
  for (const installed of globSync('examples/*/node_modules', { cwd: ROOT })) {
    await symlink(join(ROOT, installed), join(project, installed));
  }
  // A rejected request makes curl fail, and curl prints neither its own messages nor its progress.
  await writeFile(join(home.path, '.curlrc'), 'fail-with-body\nsilent\n');
  const programs = (process.env['PATH'] ?? '').split(delimiter);
  const PATH = programs.filter((folder) => !folder.endsWith('node_modules/.bin'));
  if (spawnSync('curl', ['--version']).error !== undefined) {
    PATH.push(await folderOfCurl(home.path));
  }
  return {
    /** The clone, whose files the newcomer may change. */
    project,
    /** A folder for files that do not belong to the newcomer. */
    scratch,
    env: { PATH: PATH.join(delimiter), HOME: home.path, NO_COLOR: '1' },
    [Symbol.asyncDispose]: () => home[Symbol.asyncDispose](),
  };
}

/** Creates a folder with a program called curl. */
async function folderOfCurl(home: string): Promise<string> {
  const folder = join(home, 'bin');
  const script = join(import.meta.dirname, 'curl.ts');
  await mkdir(folder);
  const text = `#!/bin/sh\nexec '${process.execPath}' '${script}' "$@"\n`;
  await writeFile(join(folder, 'curl'), text, { mode: 0o755 });
  return folder;
}
