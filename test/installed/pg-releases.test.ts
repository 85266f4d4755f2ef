import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import postgres from '../../packages/postgres/package.json' with { type: 'json' };
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { clone } from './support/clone.ts';
import { runWith, THIS_NODE } from './support/nodes.ts';

const RANGE = postgres.peerDependencies.pg;

/** The tests that fail if a release changes the private members that the packages use. */
const TESTS = [
  ['--project', 'quick', 'packages/postgres', 'test/database', 'test/contract'],
  ['--project', 'long', 'test/faults/lost-standby', 'test/faults/several-servers'],
];

test.each([
  ['lowest', RANGE.slice('^'.length)],
  ['newest', RANGE],
])('pools work with the %s allowed version of pg, %s', async (_which, release) => {
  await using folder = await temporaryDirectory();
  await clone(folder.path);
  // The folder has links to this repository's installed packages, which must not change.
  await rm(join(folder.path, 'node_modules'), { recursive: true });
  const run = (command: string, ...args: readonly string[]) =>
    runWith(THIS_NODE, folder.path, command, args);
  await run('npm', 'ci', '--prefer-offline');
  await run('npm', 'install', '--no-save', '--ignore-scripts', `pg@${release}`);
  for (const files of TESTS) {
    expect(await run('npx', 'vitest', 'run', ...files)).toContain('passed: ');
  }
});
