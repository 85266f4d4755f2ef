import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import postgres from '../../packages/postgres/package.json' with { type: 'json' };
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { clone } from './support/clone.ts';
import { runWith, THIS_NODE } from './support/nodes.ts';

const RANGE = postgres.peerDependencies.pg;

/** What fails if a release changes the private members that are used: of pools, and of connections to several servers. */
const TESTS = [
  ['--project', 'quick', 'packages/postgres', 'test/database', 'test/contract'],
  ['--project', 'long', 'test/faults/lost-standby', 'test/faults/several-servers'],
];

test.each([
  ['lowest', RANGE.slice('^'.length)],
  ['newest', RANGE],
])('pools keep their promises with the %s pg that is allowed, %s', async (_which, release) => {
  await using folder = await temporaryDirectory();
  await clone(folder.path);
  // Those of this repository, to which links lead, stay as they are.
  await rm(join(folder.path, 'node_modules'), { recursive: true });
  const run = (command: string, ...args: readonly string[]) =>
    runWith(THIS_NODE, folder.path, command, args);
  await run('npm', 'ci', '--prefer-offline');
  await run('npm', 'install', '--no-save', '--ignore-scripts', `pg@${release}`);
  for (const files of TESTS) {
    expect(await run('npx', 'vitest', 'run', ...files)).toContain('passed: ');
  }
});
