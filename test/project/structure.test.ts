import { globSync, readdirSync, readFileSync } from 'node:fs';
import { findPackageJSON, isBuiltin } from 'node:module';
import { join, normalize } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseSync } from 'rolldown/utils';
import { expect, test } from 'vitest';
import { isJsonObject } from '@store-gateway/ops';

const ROOT = join(import.meta.dirname, '../..');
const SCOPE = '@store-gateway/';
const EVERYTHING = '*';

interface SourceFile {
  /** The names imported from each file. */
  readonly imports: ReadonlyMap<string, ReadonlySet<string>>;
  /** The files and packages that are loaded at run time, excluding type-only imports. */
  readonly loads: ReadonlySet<string>;
  readonly exports: readonly string[];
}

const doors = new Map(globSync('packages/*/package.json', { cwd: ROOT }).flatMap(doorsIn));
const paths = globSync('{packages,src,test,bench,scripts,soak,examples,prisma}/**/*.ts', {
  cwd: ROOT,
  exclude: (path) => /(?:^|\/)(?:node_modules|dist|.*\.d\.ts)$/.test(path),
});
const files = new Map(paths.map((path) => [path, parsed(path)]));
const packages = new Set(paths.flatMap((path) => packageOf(path) ?? []));
const ALL = readdirSync(join(ROOT, 'packages'), { withFileTypes: true })
  .filter((each) => each.isDirectory())
  .map(({ name }) => name);

/** The maximum length of a chain of files in which each file imports the next. */
const MOST_FLOORS = 8;

test.each([...packages])(
  '%s has no import cycles and no import chain longer than the maximum',
  (name) => {
    const floors = new Map<string, number>();
    const floorOf = (path: string, above: readonly string[]): number => {
      if (above.includes(path)) {
        throw new Error(
          `files import each other in a circle: ${[...above, path].join(' → ')}: move what both need to a file below`,
        );
      }
      const known = floors.get(path);
      if (known !== undefined) return known;
      const below = [...(files.get(path)?.imports.keys() ?? [])].filter(
        (other) => packageOf(other) === name,
      );
      const floor = 1 + Math.max(0, ...below.map((other) => floorOf(other, [...above, path])));
      floors.set(path, floor);
      return floor;
    };
    const own = paths.filter((path) => packageOf(path) === name);
    const most = Math.max(...own.map((path) => floorOf(path, [])));
    expect(most, 'join files that are read together, or import the lower one').toBeLessThanOrEqual(
      MOST_FLOORS,
    );
  },
);

/** Types that are only used in generated declarations, for exports by destructuring. */
const IN_DECLARATIONS = new Set(['packages/graphql/src/marks/uses.ts PossibleUses']);

test('every export of a package is imported by another file or documented in the README', () => {
  const used = new Set<string>();
  for (const [importer, { imports }] of files) {
    for (const [path, names] of imports) {
      if (path !== importer) names.forEach((name) => used.add(`${path} ${name}`));
    }
  }
  const isDoor = new Set(doors.values());
  const isUsed = (path: string, name: string): boolean =>
    IN_DECLARATIONS.has(`${path} ${name}`) ||
    used.has(`${path} ${EVERYTHING}`) ||
    used.has(`${path} ${name}`) ||
    (isDoor.has(path) && readmeOf(path).includes(name));
  const unused = [...files]
    .filter(([path]) => packageOf(path) !== undefined)
    .flatMap(([path, { exports }]) =>
      exports.filter((name) => !isUsed(path, name)).map((name) => `${name} of ${path}`),
    );
  expect(unused, 'take away the word export, or the code').toEqual([]);
});

test('ops depends on no package', () => {
  expect([...treeOf('ops')]).toEqual([]);
});

/** Packages that a service without the gateway does not need. */
const OF_THE_GATEWAY = /^(?:@opentelemetry|@pothos|@prisma)\/|^(?:pg|pino)(?:-.*)?$/;

test.each([
  ['graphql', 'graphql', OF_THE_GATEWAY],
  ['http', 'graphql', OF_THE_GATEWAY],
  ['rest', 'graphql', OF_THE_GATEWAY],
  ['postgres', 'pg', /^@prisma\//],
])('%s depends on %s, and on no package that matches %s', (name, needed, unwanted) => {
  const tree = [...treeOf(name)];
  expect(tree).toContain(needed);
  expect(tree.filter((each) => unwanted.test(each))).toEqual([]);
});

test('the gateway depends on all of the packages that the others must not depend on', () => {
  const brought = [...treeOf('gateway')].filter((each) => OF_THE_GATEWAY.test(each));
  expect(brought).toEqual(
    expect.arrayContaining(['@opentelemetry/api', '@pothos/core', '@prisma/client', 'pg', 'pino']),
  );
});

test.each(ALL)('%s imports only its dependencies', (name) => {
  const { needed, optional, optionalPeers } = dependenciesOf(manifestOf(name));
  const own = new Set([SCOPE + name, ...needed, ...optional, ...optionalPeers]);
  expect([...importsOf(name)].filter((each) => !own.has(each))).toEqual([]);
});

test('the imports of a package are found', () => {
  expect(importsOf('ops')).toEqual(new Set(['graphql', `${SCOPE}ops`]));
});

test.each(ALL)('%s has a main entry point and at most four others', (name) => {
  const own = [...doors.keys()].filter((door) => packageNameOf(door) === SCOPE + name);
  expect(own).toContain(SCOPE + name);
  expect(own.length).toBeLessThanOrEqual(5);
});

test.each(ALL)('the main entry point of %s loads no optional peer dependency', (name) => {
  const loaded = new Set([`packages/${name}/src/index.ts`]);
  // The loop also visits files that are added during the iteration.
  for (const path of loaded) files.get(path)?.loads.forEach((target) => loaded.add(target));
  expect(loaded.size).toBeGreaterThan(1);
  const names = new Set(Array.from(loaded, packageNameOf));
  const { optionalPeers } = dependenciesOf(manifestOf(name));
  expect(optionalPeers.filter((peer) => names.has(peer))).toEqual([]);
});

test("only the gateway's log module imports pino", () => {
  const importing = paths.filter(
    (path) => packageOf(path) !== undefined && files.get(path)?.imports.has('pino'),
  );
  expect(importing).toEqual(['packages/gateway/src/log/service-log.ts']);
});

/**
 * Returns everything that is installed with a package, except dependencies of optional packages: those for other
 * platforms are not installed.
 */
function treeOf(name: string): ReadonlySet<string> {
  const tree = new Set<string>();
  const manifests = new Set([manifestOf(name)]);
  // The loop also visits manifests that are added during the iteration.
  for (const manifest of manifests) {
    const { needed, optional } = dependenciesOf(manifest);
    optional.forEach((dependency) => tree.add(dependency));
    for (const dependency of needed) {
      tree.add(dependency);
      manifests.add(findPackageJSON(dependency, pathToFileURL(manifest)) ?? '');
    }
  }
  return tree;
}

function manifestOf(name: string): string {
  return join(ROOT, 'packages', name, 'package.json');
}

/** Returns a package's dependencies. Non-optional peers count as needed, because npm installs them if they are missing. */
function dependenciesOf(path: string) {
  const manifest: unknown = JSON.parse(readFileSync(path, 'utf8'));
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

/** Returns the packages that a package's sources import, including types, except in the generator of GraphiQL's files. */
function importsOf(name: string): ReadonlySet<string> {
  const own = paths.filter(
    (path) => packageOf(path) === name && !path.endsWith('playground/generate.ts'),
  );
  const targets = own.flatMap((path) => Array.from(files.get(path)?.imports.keys() ?? []));
  return new Set(targets.filter((target) => !isBuiltin(target)).map(packageNameOf));
}

/** Returns the package that contains a repository file, or that a specifier refers to. */
function packageNameOf(target: string): string {
  const [, own] = /^packages\/([\w-]+)\//.exec(target) ?? [];
  return own === undefined ? (/^(?:@[^/]+\/)?[^/]+/.exec(target)?.[0] ?? target) : SCOPE + own;
}

/** Returns a package's entry points: each specifier with its file. */
function doorsIn(path: string): [specifier: string, path: string][] {
  const manifest: unknown = JSON.parse(readFileSync(join(ROOT, path), 'utf8'));
  const { name, exports = {} } = isJsonObject(manifest) ? manifest : {};
  return Object.entries(isJsonObject(exports) ? exports : {}).map(([door, target]) => [
    normalize(`${String(name)}/${door}`).replace(/\/$/, ''),
    normalize(join(path, '..', String(target))),
  ]);
}

function packageOf(path: string): string | undefined {
  return /^packages\/([\w-]+)\/src\//.exec(path)?.[1];
}

function readmeOf(path: string): string {
  return readFileSync(join(ROOT, 'packages', packageOf(path) ?? '', 'README.md'), 'utf8');
}

function parsed(path: string): SourceFile {
  const source = readFileSync(join(ROOT, path), 'utf8');
  const { staticImports, staticExports, dynamicImports } = parseSync(path, source).module;
  const imports = new Map<string, Set<string>>();
  const targetOf = (specifier: string): string =>
    specifier.startsWith('.')
      ? normalize(join(path, '..', specifier))
      : (doors.get(specifier) ?? specifier);
  const add = (specifier: string, name: string | null | undefined): void => {
    const target = targetOf(specifier);
    imports.set(target, (imports.get(target) ?? new Set()).add(name ?? EVERYTHING));
  };
  const loads = new Set<string>();
  for (const { start, end, moduleRequest, entries } of staticImports) {
    if (!source.slice(start, end).startsWith('import type'))
      loads.add(targetOf(moduleRequest.value));
    entries.forEach(({ importName: { kind, name } }) => {
      add(moduleRequest.value, kind === 'Default' ? 'default' : name);
    });
    if (entries.length === 0) add(moduleRequest.value, undefined);
  }
  for (const { moduleRequest } of dynamicImports) {
    const specifier = source.slice(moduleRequest.start, moduleRequest.end);
    if (specifier.startsWith("'")) add(specifier.slice(1, -1), undefined);
  }
  const exports: string[] = [];
  for (const { moduleRequest, importName, exportName, isType } of staticExports.flatMap(
    ({ entries }) => entries,
  )) {
    exports.push(exportName.kind === 'Default' ? 'default' : (exportName.name ?? EVERYTHING));
    if (moduleRequest !== null) {
      add(moduleRequest.value, importName.name);
      if (!isType) loads.add(targetOf(moduleRequest.value));
    }
  }
  return { imports, loads, exports };
}
