import { globSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { findPackageJSON, isBuiltin } from 'node:module';
import { dirname, isAbsolute, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { isJsonObject } from '@store-gateway/ops';

const PACKAGES = join(import.meta.dirname, '../../packages');
const SCOPE = '@store-gateway/';

test('ops depends on no package', async () => {
  expect([...(await treeOf('ops'))]).toEqual([]);
});

/** Of no use to whoever serves a GraphQL schema of another origin. */
const OF_THE_GATEWAY = /^(?:@opentelemetry|@pothos|@prisma)\/|^(?:pg|pino)(?:-.*)?$/;

test.each(['graphql', 'http', 'rest'])(
  '%s brings no Prisma, Pothos, PostgreSQL driver, OpenTelemetry or pino',
  async (name) => {
    const tree = [...(await treeOf(name))];
    expect(tree).toContain('graphql');
    expect(tree.filter((each) => OF_THE_GATEWAY.test(each))).toEqual([]);
  },
);

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
  expect(await importsOf('ops')).toEqual(new Set(['graphql']));
});

test.each(ALL)('%s has a door and at most four more', async (name) => {
  const doors = await doorsOf(name);
  expect(doors).toContain('.');
  expect(doors.length).toBeLessThanOrEqual(5);
});

test.each(ALL)("%s's door loads no optional peer", async (name) => {
  const { optionalPeers } = await dependenciesOf(manifestOf(name));
  const loaded = await loadedBy(join(PACKAGES, name, 'src/index.ts'));
  expect(loaded.size).toBeGreaterThan(0);
  expect(optionalPeers.filter((peer) => loaded.has(peer))).toEqual([]);
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

async function doorsOf(name: string): Promise<readonly string[]> {
  const manifest: unknown = JSON.parse(await readFile(manifestOf(name), 'utf8'));
  const doors = isJsonObject(manifest) ? manifest['exports'] : undefined;
  return Object.keys(isJsonObject(doors) ? doors : {});
}

/** The files and packages that a file imports when it is loaded, with those that its own package's files import. */
async function loadedBy(door: string): Promise<ReadonlySet<string>> {
  const loaded = new Set([door]);
  // Those that are added meanwhile are visited, too.
  for (const file of loaded) {
    if (!isAbsolute(file)) {
      continue;
    }
    const text = await readFile(file, 'utf8');
    const statements = text.matchAll(/^(?:import|export) (?!type )(?:[^'"]*? from )?'([^']+)'/gm);
    for (const [, specifier = ''] of statements) {
      loaded.add(specifier.startsWith('.') ? join(dirname(file), specifier) : nameOf(specifier));
    }
  }
  return loaded;
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
      .map(nameOf),
  );
}

const nameOf = (specifier: string): string =>
  /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier;
