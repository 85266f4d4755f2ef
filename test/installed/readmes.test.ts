import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { isJsonObject } from '@store-gateway/ops';
import { joinEmbeddedPostgres } from '@store-gateway/local';
import { onFileFinished } from '../support/clean-up.ts';
import { createDatabase } from '../support/database.ts';
import { ROOT } from '../support/documentation/newcomer.ts';
import { isShown } from '../support/documentation/shown-output.ts';
import { EMBEDDED } from '../support/store-database.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { createConsumer } from './support/consumer.ts';
import { installNode, type NodeWithNpm } from './support/nodes.ts';
import { readReadme } from './support/readme.ts';

const PACKAGES = globSync('packages/*/package.json', { cwd: ROOT }).map((manifest) =>
  basename(dirname(manifest)),
);

/** The oldest that the packages run on. */
let node: NodeWithNpm;
let postgresUrl: string;

beforeAll(async () => {
  node = await installNode(22, 10);
  const directory = await temporaryDirectory();
  onFileFinished(async () => {
    await directory[Symbol.asyncDispose]();
  });
  const { url, leave } = await joinEmbeddedPostgres(directory.path, EMBEDDED);
  onFileFinished(leave);
  postgresUrl = url;
});

const readmes = await Promise.all(
  PACKAGES.map(async (name) => [name, await readReadme(name)] as const),
);

describe.concurrent.each(readmes)('the README of %s', (name, { install, usages }) => {
  test('has all peers in its command to install, with their versions', async () => {
    const manifest = await readFile(join(ROOT, 'packages', name, 'package.json'), 'utf8');
    const missing = requiredPeers(manifest).filter((peer) => !install.includes(` ${peer}@`));
    expect(missing).toEqual([]);
  });

  test.each(usages.map((usage) => [usage.topic, usage] as const))(
    'has a program that compiles, and prints what it says, once installed as it says: %s',
    async (_topic, { files, commands, program, output }) => {
      await using consumer = await createConsumer(node, {
        DATABASE_URL: await createDatabase(postgresUrl),
        // `prisma generate` insists on one, never runs it, and would download it.
        PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
        // The order in which a folder is listed.
        LC_ALL: 'C',
      });
      await consumer.write(files);
      await consumer.run(install);
      let printed = '';
      for (const command of commands) {
        printed = await consumer.run(command);
      }
      if (program !== undefined) {
        await consumer.write(new Map([['usage.ts', program]]));
        await consumer.compile();
        printed = await consumer.run('node usage.ts');
      }
      expect(isShown(output, printed), `it prints:\n${printed}`).toBe(true);
    },
  );
});

/** The peers of a package that are not optional. */
function requiredPeers(text: string): string[] {
  const manifest: unknown = JSON.parse(text);
  const { peerDependencies: peers = {}, peerDependenciesMeta: meta = {} } = isJsonObject(manifest)
    ? manifest
    : {};
  const optional = isJsonObject(meta) ? meta : {};
  return Object.keys(isJsonObject(peers) ? peers : {}).filter((peer) => !(peer in optional));
}
