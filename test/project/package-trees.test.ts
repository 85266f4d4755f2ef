import { globSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { findPackageJSON, isBuiltin } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { isJsonObject } from '@store-gateway/exact-json/json';

const PACKAGES = join(import.meta.dirname, '../../packages');
const SCOPE = '@store-gateway/';

/** What small packages bring: nothing else that is installed with them. */
const TREES: readonly (readonly [name: string, tree: readonly string[]])[] = [
  ['coalescing', []],
  ['exact-json', []],
  ['fair-scheduling', []],
  ['log', ['@store-gateway/coalescing']],
  ['errors', ['@store-gateway/coalescing', '@store-gateway/log']],
];

test.each(TREES)('%s brings no package but %j', async (name, tree) => {
  expect([...(await treeOf(name))].toSorted()).toEqual(tree);
});

/** Of no use to whoever serves a GraphQL schema of another origin. */
const OF_THE_GATEWAY = /^(?:@opentelemetry|@pothos|@prisma)\/|^(?:pg|pino)(?:-.*)?$/;

test.each([
  'graphql-rest',
  'graphql-server',
  'http-server',
  'rate-limits',
  'schema-extensions',
  'telemetry',
])('%s brings no Prisma, Pothos, PostgreSQL driver, OpenTelemetry or pino', async (name) => {
  const tree = [...(await treeOf(name))];
  expect(tree).toContain('graphql');
  expect(tree.filter((each) => OF_THE_GATEWAY.test(each))).toEqual([]);
});

test('postgres brings no Prisma', async () => {
  const tree = [...(await treeOf('postgres'))];
  expect(tree).toContain('pg');
  expect(tree.filter((each) => each.startsWith('@prisma/'))).toEqual([]);
});

test('the gateway brings all of them', async () => {
  const brought = [...(await treeOf('gateway'))].filter((each) => OF_THE_GATEWAY.test(each));
  expect(brought).toEqual(
    expect.arrayContaining(['@opentelemetry/api', '@pothos/core', '@prisma/client', 'pg', 'pino']),
  );
});

const ALL = readdirSync(PACKAGES, { withFileTypes: true })
  .filter((each) => each.isDirectory())
  .map(({ name }) => name);

test.each(ALL)('%s imports only what it brings', async (name) => {
  const { needed, optional, optionalPeers } = await dependenciesOf(manifestOf(name));
  const own = new Set([SCOPE + name, ...needed, ...optional, ...optionalPeers]);
  const imported = await importsOf(name);
  expect([...imported].filter((each) => !own.has(each))).toEqual([]);
});

test('imports are found', async () => {
  expect(await importsOf('errors')).toEqual(new Set(['@store-gateway/log', 'graphql']));
});

test('of the gateway, its log alone imports pino', async () => {
  const importing = await Promise.all(
    sourcesOf('*').map(async (file) => ((await namesIn(file)).has('pino') ? [file] : [])),
  );
  expect(importing.flat()).toEqual(['gateway/src/log/service-log.ts']);
});

/** All that is installed with a package, except what optional packages bring: those for other platforms aren't there. */
async function treeOf(name: string): Promise<ReadonlySet<string>> {
  const tree = new Set<string>();
  const manifests = new Set([manifestOf(name)]);
  // Those that are added meanwhile are visited, too.
  for (const manifest of manifests) {
    const { needed, optional } = await dependenciesOf(manifest);
    for (const dependency of optional) {
      tree.add(dependency);
    }
    for (const dependency of needed) {
      tree.add(dependency);
      manifests.add(findPackageJSON(dependency, pathToFileURL(manifest)) ?? '');
    }
  }
  return tree;
}

function manifestOf(name: string): string {
  return join(PACKAGES, name, 'package.json');
}

/** Peers are needed as well, unless they are optional: npm installs them if nobody else has. */
async function dependenciesOf(path: string) {
  const manifest: unknown = JSON.parse(await readFile(path, 'utf8'));
  const listed = (kind: string): Record<string, unknown> => {
    const member = isJsonObject(manifest) ? manifest[kind] : undefined;
    return isJsonObject(member) ? member : {};
  };
  const meta = listed('peerDependenciesMeta');
  const isOptional = (peer: string): boolean => {
    const ofPeer = meta[peer];
    return isJsonObject(ofPeer) && ofPeer['optional'] === true;
  };
  const peers = Object.keys(listed('peerDependencies'));
  return {
    needed: [...Object.keys(listed('dependencies')), ...peers.filter((peer) => !isOptional(peer))],
    optional: Object.keys(listed('optionalDependencies')),
    optionalPeers: peers.filter(isOptional),
  };
}

async function importsOf(name: string): Promise<Set<string>> {
  const names = await Promise.all(sourcesOf(name).map(namesIn));
  return names.reduce((all, each) => all.union(each), new Set<string>());
}

/** What generates GraphiQL's files is no part of the package. */
function sourcesOf(name: string): string[] {
  return globSync(`${name}/src/**/*.ts`, { cwd: PACKAGES, exclude: ['**/playground/generate.ts'] });
}

/** The packages that a source file imports, if only for their types. */
async function namesIn(file: string): Promise<Set<string>> {
  const text = await readFile(join(PACKAGES, file), 'utf8');
  const specifiers = text.matchAll(/\b(?:from |import ?\(?)'([^'.][^']*)'/g);
  return new Set(
    Array.from(specifiers, ([, specifier = '']) => specifier)
      .filter((specifier) => !isBuiltin(specifier))
      .map((specifier) => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier),
  );
}
