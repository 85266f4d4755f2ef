import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
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
  ['errors', ['@store-gateway/coalescing', '@store-gateway/log', 'graphql']],
];

test.each(TREES)('%s brings no package but %j', async (name, tree) => {
  expect([...(await treeOf(name))].toSorted()).toEqual(tree);
});

test.each(TREES)('%s imports only what it brings', async (name) => {
  const own = new Set([SCOPE + name, ...(await dependenciesOf(name))]);
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

/** All that is installed with a package, except what packages outside this repository bring. */
async function treeOf(name: string, found = new Set<string>()): Promise<Set<string>> {
  for (const dependency of await dependenciesOf(name)) {
    if (!found.has(dependency)) {
      found.add(dependency);
      if (dependency.startsWith(SCOPE)) {
        await treeOf(dependency.slice(SCOPE.length), found);
      }
    }
  }
  return found;
}

/** Also those of its peers, which npm installs if nobody else has. */
async function dependenciesOf(name: string): Promise<string[]> {
  const text = await readFile(join(PACKAGES, name, 'package.json'), 'utf8');
  const manifest: unknown = JSON.parse(text);
  return ['dependencies', 'optionalDependencies', 'peerDependencies'].flatMap((kind) => {
    const listed = isJsonObject(manifest) ? manifest[kind] : undefined;
    return isJsonObject(listed) ? Object.keys(listed) : [];
  });
}

async function importsOf(name: string): Promise<Set<string>> {
  const names = await Promise.all(sourcesOf(name).map(namesIn));
  return names.reduce((all, each) => all.union(each), new Set<string>());
}

function sourcesOf(name: string): string[] {
  return globSync(`${name}/src/**/*.ts`, { cwd: PACKAGES });
}

/** The packages that a source file imports, if only for their types. */
async function namesIn(file: string): Promise<Set<string>> {
  const text = await readFile(join(PACKAGES, file), 'utf8');
  const specifiers = text.matchAll(/\b(?:from|import) ?\(?'([^'.][^']*)'/g);
  return new Set(
    Array.from(specifiers, ([, specifier = '']) => specifier)
      .filter((specifier) => !isBuiltin(specifier))
      .map((specifier) => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier),
  );
}
