import packageJson from '../../package.json' with { type: 'json' };
import { cp, mkdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { transform } from 'rolldown/utils';
import { expect, test } from 'vitest';
import { pretend, runLine, WELL, packageScripts } from '../support/help.ts';
import { testFolder } from '../support/test-folder.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const PREFLIGHT = 'packages/gateway/preflight.cjs';
const scripts = await packageScripts();
/** Scripts that are parts of other scripts or of npm ci. */
const PARTS = new Set(
  `types types:plugins format format:check lint check:clients prepare:tests postinstall slim bundle
  generate generate:tests generate:clients generate:graphiql install:clients install:release
  install:production build:production`.split(/\s+/),
);

const SCRIPTS_NOT_RUN =
  'its dependencies were installed without their install scripts; run: npm rebuild --ignore-scripts=false';

interface Installation {
  readonly packages: readonly string[];
  /** Files that the preflight check looks for. */
  readonly files: readonly string[];
}

const dependencies = Object.keys(packageJson.dependencies);
const devDependencies = Object.keys(packageJson.devDependencies);
const GENERATED = 'prisma/generated/pothos.ts';
const NODE = 'node_modules/.bin/node';
const GRAPHIQL = 'packages/gateway/src/graphql/playground/generated/graphiql.js.br';

/** Creates a folder with these empty files. */
async function folderWith(files: readonly string[]): Promise<string> {
  const root = await testFolder();
  for (const file of files) {
    await mkdir(dirname(join(root, file)), { recursive: true });
    await writeFile(join(root, file), '');
  }
  return root;
}

/** Creates a folder with only the preflight check and what it checks. */
async function install({ packages, files }: Installation): Promise<string> {
  const root = await folderWith(files);
  for (const file of ['package.json', PREFLIGHT]) {
    await cp(join(ROOT, file), join(root, file));
  }
  for (const name of packages) {
    await mkdir(join(root, 'node_modules', name), { recursive: true });
  }
  return root;
}

function saying(fault: string, name = 'animal-store-gateway') {
  return { code: 1, stdout: '', stderr: `${name}: ${fault}\n` };
}

const PRELOADED = `node -r ./${PREFLIGHT} -p 1`;

/** Runs a command line with a Node.js that reports a different version. */
const runAs = async (version: string, root: string, line = PRELOADED) =>
  runLine(line, root, await pretend(root, version));

test('without npm ci, every script fails with a one-sentence error', async () => {
  const root = await install({ packages: [], files: [] });
  const commands = [...scripts].filter(([name]) => !PARTS.has(name));
  const outcomes = await Promise.all(
    commands.map(async ([name, script]) => [name, await runLine(script, root)]),
  );
  const [first] = dependencies;
  const expected = saying(`its dependencies are not installed (${first} is missing); run: npm ci`);
  expect(outcomes).toEqual(commands.map(([name]) => [name, expected]));
});

test.each([
  { without: 'the bundled Node.js', files: [GENERATED] },
  { without: "Prisma's client", files: [NODE] },
])('npm ci --ignore-scripts is reported when it leaves out $without', async ({ files }) => {
  const root = await install({ packages: [...dependencies, ...devDependencies], files });
  for (const name of ['start', 'test']) {
    expect(await runLine(scripts.get(name) ?? '', root)).toEqual(saying(SCRIPTS_NOT_RUN));
  }
});

test("production fails without Prisma's client, because it cannot generate it", async () => {
  const root = await install({ packages: dependencies, files: [] });
  const told = 'its database client, prisma/generated, is missing; run: npm run install:production';
  expect(await runLine(PRELOADED, root)).toEqual(saying(told));
});

test("an installation without GraphiQL's files fails", async () => {
  const root = await install({ packages: dependencies, files: [GENERATED] });
  const told =
    'the files of GraphiQL, its page at /graphql, are missing; run: npm run generate:graphiql';
  expect(await runLine(PRELOADED, root)).toEqual(saying(told));
});

test('production runs without development dependencies, but npm test fails', async () => {
  const root = await install({ packages: dependencies, files: [GENERATED, GRAPHIQL] });
  expect(await runLine(PRELOADED, root)).toEqual(WELL);
  expect(await runLine(scripts.get('test') ?? '', root)).toEqual(
    saying(
      `its development dependencies are not installed (${devDependencies[0]} is missing); run: npm ci --include=dev`,
    ),
  );
});

test.each([
  {
    packages: dependencies,
    remedy: 'install one, or run npm ci without --omit=dev, which fetches one',
  },
  {
    packages: [...dependencies, ...devDependencies],
    remedy: 'start it with npm, which uses the one in node_modules/.bin',
  },
])('a Node.js that is too old fails with a remedy: $remedy', async ({ packages, remedy }) => {
  const root = await install({ packages, files: [GENERATED, NODE, GRAPHIQL] });
  expect(await runAs('22.22.0', root)).toEqual(
    saying(`Node 22.22.0 is too old, it needs 24 or newer; ${remedy}`),
  );
  expect(await runAs('24.0.0', root)).toEqual(WELL);
});

test('npm run install:production checks the Node.js version first', async () => {
  const root = await install({ packages: [], files: [] });
  expect(await runAs('20.20.2', root, scripts.get('install:production'))).toEqual(
    saying('Node 20.20.2 is too old, it needs 24 or newer; install one'),
  );
});

async function writtenFor(source: string, target: string): Promise<string> {
  return (await transform('preflight.cjs', source, { target })).code;
}

test('the preflight check uses only syntax that an old Node.js supports', async () => {
  const source = await readFile(join(ROOT, PREFLIGHT), 'utf8');
  // A compiler rewrites syntax that its target does not support: here nothing is rewritten.
  expect(await writtenFor(source, 'es2015')).toBe(await writtenFor(source, 'esnext'));
  const newer = `${source}; fault?.length`;
  expect(await writtenFor(newer, 'es2015')).not.toBe(await writtenFor(newer, 'esnext'));
});

/** Creates a project in which the gateway's package is installed. @param files additional files */
async function project(files: readonly string[]) {
  const root = await folderWith(files);
  const installed = join(root, 'node_modules/@store-gateway/gateway');
  await mkdir(join(installed, 'dist'), { recursive: true });
  await cp(join(ROOT, PREFLIGHT), join(installed, 'preflight.cjs'));
  await writeFile(join(installed, 'package.json'), '{ "version": "1.0.0" }');
  const own = { name: 'my-store', dependencies: { '@store-gateway/gateway': '1.0.0' } };
  await writeFile(join(root, 'package.json'), JSON.stringify(own));
  return root;
}

const OF_PROJECT = 'node_modules/@store-gateway/gateway/preflight.cjs';
const PRELOADED_BY_PROJECT = `node -r ./${OF_PROJECT} -p 1`;
const SCHEMA = 'prisma/schema.prisma';
const PRISMA = 'node_modules/prisma/package.json';

test('a project runs on Node.js 22.18 and fails on an older version', async () => {
  const root = await project([SCHEMA, GENERATED]);
  expect(await runAs('22.18.0', root, PRELOADED_BY_PROJECT)).toEqual(WELL);
  const told = 'Node 22.9.0 is too old, it needs 22.18 or newer; install one';
  expect(await runAs('22.9.0', root, PRELOADED_BY_PROJECT)).toEqual(saying(told, 'my-store'));
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
  'a project without its database client, with $files, fails with the remedy',
  async ({ files, told }) => {
    const root = await project(files);
    expect(await runLine(PRELOADED_BY_PROJECT, root)).toEqual(saying(told, 'my-store'));
  },
);

test('a project whose packages have different versions fails', async () => {
  const root = await project([]);
  const file = join(root, 'package.json');
  const versions = { '@store-gateway/gateway': '1.0.0', '@store-gateway/ops': '1.1.0' };
  await writeFile(file, JSON.stringify({ name: 'my-store', dependencies: versions }));
  const other = join(root, 'node_modules/@store-gateway/ops');
  await mkdir(other);
  const runWith = async (version: string) => {
    await writeFile(join(other, 'package.json'), JSON.stringify({ version }));
    return runLine(PRELOADED_BY_PROJECT, root);
  };
  const told =
    '@store-gateway/ops 1.1.0 is installed beside @store-gateway/gateway 1.0.0; give all packages of @store-gateway one version in package.json, and run: npm install';
  expect(await runWith('1.1.0')).toEqual(saying(told, 'my-store'));
  expect(await runWith('1.0.0')).toEqual(WELL);
});

/** A minimal stand-in for `prisma generate`. */
const GENERATOR = `#!/usr/bin/env node
const { mkdirSync, writeFileSync } = require('fs');
mkdirSync('prisma/generated', { recursive: true });
writeFileSync('${GENERATED}', process.argv[2]);
`;

test("a project's database client is generated if it is missing or outdated", async () => {
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

test('a project reports why its database client is not generated, and may be in a workspace', async () => {
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
  expect(await runLine(`node ../../${OF_PROJECT}`, nested)).toEqual({ ...WELL, stdout: '' });
});
