import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  CommandFailure,
  type Command,
  rejectPositionals,
  runCommand,
} from '@store-gateway/ops/command-line';
import { isJsonObject } from '@store-gateway/ops';
import { readChangeSets } from './change-sets.ts';
import { release } from './changelog.ts';

const HELP = `Turns the change sets in .changeset into a version: sets it in all packages, in everything that depends on them, and
in this store, writes its notes to CHANGELOG.md, and removes the change sets.

  npm run --silent release:version

Exit codes: 0 done, 1 failed, 2 usage error.
`;

const ROOT = join(import.meta.dirname, '../..');
const CHANGESETS = join(import.meta.dirname, 'node_modules/@changesets/cli/bin.js');
const run = promisify(execFile);

async function releaseVersion(): Promise<string> {
  const changeSets = await readChangeSets(join(ROOT, '.changeset'));
  if (changeSets.length === 0) throw new CommandFailure(1, 'there are no change sets');
  await run(process.execPath, [CHANGESETS, 'version'], { cwd: ROOT });
  const version = await versionOf('packages/gateway/package.json');
  await edit('package.json', (text) =>
    text.replace(/("version": ")[^"]*/, (_all, name: string) => name + version),
  );
  await edit('CHANGELOG.md', (text) => release(text, version, changeSets));
  await run('npm', ['install', '--package-lock-only', '--ignore-scripts'], { cwd: ROOT });
  return `${version}\n`;
}

async function versionOf(path: string): Promise<string> {
  const manifest: unknown = JSON.parse(await readFile(join(ROOT, path), 'utf8'));
  return String(isJsonObject(manifest) && manifest['version']);
}

async function edit(path: string, change: (text: string) => string): Promise<void> {
  await writeFile(join(ROOT, path), change(await readFile(join(ROOT, path), 'utf8')));
}

const command: Command = {
  name: 'release:version',
  help: HELP,
  options: {},
  read: ({ positionals }) => {
    rejectPositionals(positionals);
    return releaseVersion;
  },
};

await runCommand(command);
