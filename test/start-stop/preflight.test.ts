import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { transform } from 'rolldown/utils';
import { expect, onTestFinished, test } from 'vitest';
import { isJsonObject } from '@store-gateway/ops';
import { packageScripts } from '../support/package-scripts.ts';
import { pretend, runLine, WELL } from '../support/preflight.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const scripts = await packageScripts();
/** Parts of others, and of npm ci. */
const PARTS = new Set([
  'types:plugins',
  'format',
  'format:check',
  'lint',
  'check:clients',
  'types',
  'generate',
  'generate:tests',
  'prepare:tests',
  'generate:clients',
  'generate:graphiql',
  'bundle',
  'install:clients',
  'install:release',
  'install:production',
  'build:production',
  'slim',
  'postinstall',
]);

const SCRIPTS_NOT_RUN =
  'its dependencies were installed without their install scripts; run: npm rebuild --ignore-scripts=false';

interface Installation {
  readonly packages: readonly string[];
  /** Files of which a look at the installation takes note. */
  readonly files: readonly string[];
}

const kinds = ['dependencies', 'devDependencies'] as const;
const manifest: unknown = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
const [dependencies = [], devDependencies = []] = kinds.map((kind) => {
  const packages = isJsonObject(manifest) ? manifest[kind] : undefined;
  return isJsonObject(packages) ? Object.keys(packages) : [];
});
const GENERATED = 'prisma/generated/pothos.ts';
const NODE = 'node_modules/.bin/node';
const GRAPHIQL = 'packages/gateway/src/graphql/playground/generated/graphiql.js.br';

/** A folder with nothing but the first look, and what it looks for. */
async function install({ packages, files }: Installation): Promise<string> {
  const folder = await temporaryDirectory();
  onTestFinished(() => folder[Symbol.asyncDispose]());
  for (const file of ['package.json', 'packages/gateway/preflight.cjs']) {
    await cp(join(ROOT, file), join(folder.path, file));
  }
  for (const name of packages) {
    await mkdir(join(folder.path, 'node_modules', name), { recursive: true });
  }
  for (const file of files) {
    await mkdir(dirname(join(folder.path, file)), { recursive: true });
    await writeFile(join(folder.path, file), '');
  }
  return folder.path;
}

function saying(fault: string) {
  return { code: 1, stdout: '', stderr: `animal-store-gateway: ${fault}\n` };
}

const PRELOADED = 'node -r ./packages/gateway/preflight.cjs -p 1';

test('without npm ci every script ends with one sentence', async () => {
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
  { without: 'the Node that comes along', files: [GENERATED] },
  { without: "Prisma's client", files: [NODE] },
])('npm ci --ignore-scripts, here without $without, is told', async ({ files }) => {
  const root = await install({ packages: [...dependencies, ...devDependencies], files });
  for (const name of ['start', 'test']) {
    expect(await runLine(scripts.get(name) ?? '', root)).toEqual(saying(SCRIPTS_NOT_RUN));
  }
});

test("production without Prisma's client, which it can't generate, is told", async () => {
  const root = await install({ packages: dependencies, files: [] });
  const told = 'its database client, prisma/generated, is missing; run: npm run install:production';
  expect(await runLine(PRELOADED, root)).toEqual(saying(told));
});

test('an installation without the files of GraphiQL is told', async () => {
  const root = await install({ packages: dependencies, files: [GENERATED] });
  const told =
    'the files of GraphiQL, its page at /graphql, are missing; run: npm run generate:graphiql';
  expect(await runLine(PRELOADED, root)).toEqual(saying(told));
});

test('production does without what only developers need, which is told to them', async () => {
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
])('a Node that is too old is told: $remedy', async ({ packages, remedy }) => {
  const root = await install({ packages, files: [GENERATED, NODE, GRAPHIQL] });
  const runAs = async (version: string) => runLine(PRELOADED, root, await pretend(root, version));
  expect(await runAs('22.22.0')).toEqual(
    saying(`Node 22.22.0 is too old, it needs 24 or newer; ${remedy}`),
  );
  expect(await runAs('24.0.0')).toEqual(WELL);
});

test('npm run install:production says first that Node is too old', async () => {
  const root = await install({ packages: [], files: [] });
  const pretence = await pretend(root, '20.20.2');
  expect(await runLine(scripts.get('install:production') ?? '', root, pretence)).toEqual(
    saying('Node 20.20.2 is too old, it needs 24 or newer; install one'),
  );
});

async function writtenFor(source: string, target: string): Promise<string> {
  return (await transform('preflight.cjs', source, { target })).code;
}

test('a Node that is too old can read what tells it so', async () => {
  const source = await readFile(join(ROOT, 'packages/gateway/preflight.cjs'), 'utf8');
  // What a target can't read is written in older syntax: here there is none.
  expect(await writtenFor(source, 'es2015')).toBe(await writtenFor(source, 'esnext'));
  const newer = `${source}; fault?.length`;
  expect(await writtenFor(newer, 'es2015')).not.toBe(await writtenFor(newer, 'esnext'));
});
