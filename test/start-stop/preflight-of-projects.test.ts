import { cp, mkdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { pretend, runLine, WELL } from '../support/preflight.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const PREFLIGHT = join(import.meta.dirname, '../../packages/gateway/preflight.cjs');
const GENERATED = 'prisma/generated/pothos.ts';

/** A project that has the gateway installed, as its package holds it. @param files besides */
async function project(files: readonly string[]) {
  const root = (await temporaryDirectory()).path;
  onTestFinished(() => rm(root, { recursive: true }));
  const installed = join(root, 'node_modules/@store-gateway/gateway');
  await mkdir(join(installed, 'dist'), { recursive: true });
  await cp(PREFLIGHT, join(installed, 'preflight.cjs'));
  await writeFile(join(installed, 'package.json'), '{ "version": "1.0.0" }');
  const manifest = { name: 'my-store', dependencies: { '@store-gateway/gateway': '1.0.0' } };
  await writeFile(join(root, 'package.json'), JSON.stringify(manifest));
  for (const file of files) {
    await mkdir(dirname(join(root, file)), { recursive: true });
    await writeFile(join(root, file), '');
  }
  return root;
}

const OF_PROJECT = 'node_modules/@store-gateway/gateway/preflight.cjs';
const SCHEMA = 'prisma/schema.prisma';
const PRISMA = 'node_modules/prisma/package.json';

test('a project with the gateway runs on Node 22.18, and is told on an older one', async () => {
  const root = await project([SCHEMA, GENERATED]);
  const runAs = async (version: string) =>
    runLine(`node -r ./${OF_PROJECT} -p 1`, root, await pretend(root, version));
  expect(await runAs('22.18.0')).toEqual(WELL);
  expect(await runAs('22.9.0')).toEqual({
    code: 1,
    stdout: '',
    stderr: 'my-store: Node 22.9.0 is too old, it needs 22.18 or newer; install one\n',
  });
});

test.each([
  {
    files: [SCHEMA],
    told: 'its database client, prisma/generated, is missing; run, before development dependencies are removed: npx gateway-preflight',
  },
  {
    files: [SCHEMA, PRISMA],
    told: 'its database client, prisma/generated, is missing; run: npx gateway-preflight',
  },
])(
  'a project without its database client, with $files, is told how to get it',
  async ({ files, told }) => {
    const root = await project(files);
    expect(await runLine(`node -r ./${OF_PROJECT} -p 1`, root)).toEqual({
      code: 1,
      stdout: '',
      stderr: `my-store: ${told}\n`,
    });
  },
);

test('a project with packages of several versions is told, as each would have its own log and errors', async () => {
  const root = await project([]);
  const file = join(root, 'package.json');
  const dependencies = { '@store-gateway/gateway': '1.0.0', '@store-gateway/ops': '1.1.0' };
  await writeFile(file, JSON.stringify({ name: 'my-store', dependencies }));
  const other = join(root, 'node_modules/@store-gateway/ops');
  await mkdir(other);
  const runWith = async (version: string) => {
    await writeFile(join(other, 'package.json'), JSON.stringify({ version }));
    return runLine(`node -r ./${OF_PROJECT} -p 1`, root);
  };
  expect(await runWith('1.1.0')).toEqual({
    code: 1,
    stdout: '',
    stderr:
      'my-store: @store-gateway/ops 1.1.0 is installed beside @store-gateway/gateway 1.0.0; give all packages of @store-gateway one version in package.json, and run: npm install\n',
  });
  expect(await runWith('1.0.0')).toEqual(WELL);
});

/** What `prisma generate` does, in brief. */
const GENERATOR = `#!/usr/bin/env node
const { mkdirSync, writeFileSync } = require('fs');
mkdirSync('prisma/generated', { recursive: true });
writeFileSync('${GENERATED}', process.argv[2]);
`;

test('a project’s database client is generated if it is missing, or older than the schema or an installation', async () => {
  const root = await project([SCHEMA, PRISMA, 'node_modules/.package-lock.json']);
  await mkdir(join(root, 'node_modules/.bin'));
  await writeFile(join(root, 'node_modules/.bin/prisma'), GENERATOR, { mode: 0o755 });
  const generates = async () => {
    const { code, stderr } = await runLine(`node ${OF_PROJECT}`, root);
    expect(code).toBe(0);
    return stderr;
  };
  const told = `my-store: generating the database client from ${SCHEMA}\n`;
  expect(await generates()).toBe(told);
  expect(await readFile(join(root, GENERATED), 'utf8')).toBe('generate');
  expect(await generates()).toBe('');
  for (const file of [SCHEMA, 'node_modules/.package-lock.json']) {
    const later = Date.now() / 1000 + 1;
    await utimes(join(root, file), later, later);
    expect(await generates()).toBe(told);
    await utimes(join(root, file), 0, 0);
  }
});

test('a project is told why its database client is not generated, and lives in a folder of several, too', async () => {
  const root = await project([SCHEMA, PRISMA]);
  await mkdir(join(root, 'node_modules/.bin'));
  await writeFile(
    join(root, 'node_modules/.bin/prisma'),
    '#!/bin/sh\necho wrong schema\nexit 1\n',
    { mode: 0o755 },
  );
  expect(await runLine(`node ${OF_PROJECT}`, root)).toEqual({
    code: 1,
    stdout: '',
    stderr: `my-store: generating the database client from ${SCHEMA}\nmy-store: prisma generate has failed:\nwrong schema\n\n`,
  });
  const nested = join(root, 'stores/nested');
  await mkdir(nested, { recursive: true });
  await cp(join(root, 'package.json'), join(nested, 'package.json'));
  expect(await runLine(`node ../../${OF_PROJECT}`, nested)).toEqual({
    code: 0,
    stdout: '',
    stderr: '',
  });
});
