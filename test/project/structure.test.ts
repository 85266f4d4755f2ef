import { globSync, readFileSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { parseSync } from 'rolldown/utils';
import { expect, test } from 'vitest';
import { isJsonObject } from '@store-gateway/ops';

const ROOT = join(import.meta.dirname, '../..');
const EVERYTHING = '*';

interface SourceFile {
  /** The imported names of each file. */
  readonly imports: ReadonlyMap<string, ReadonlySet<string>>;
  readonly exports: readonly string[];
}

const doors = new Map(globSync('packages/*/package.json', { cwd: ROOT }).flatMap(doorsIn));
const paths = globSync('{packages,src,test,bench,scripts,soak,examples,prisma}/**/*.ts', {
  cwd: ROOT,
  exclude: (path) => /(?:^|\/)(?:node_modules|dist|.*\.d\.ts)$/.test(path),
});
const files = new Map(paths.map((path) => [path, parsed(path)]));
const packages = new Set(paths.flatMap((path) => packageOf(path) ?? []));

/** The longest chain of files of which each imports the next. */
const MOST_FLOORS = 8;

test.each([...packages])(
  '%s has no import cycles, and no longer import chains than allowed',
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

/** Types that appear only in generated declarations, of exports by destructuring. */
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

/** The doors of a package: the file of each specifier. */
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
  const add = (specifier: string, name: string | null | undefined): void => {
    const target = specifier.startsWith('.')
      ? normalize(join(path, '..', specifier))
      : (doors.get(specifier) ?? specifier);
    imports.set(target, (imports.get(target) ?? new Set()).add(name ?? EVERYTHING));
  };
  for (const { moduleRequest, entries } of staticImports) {
    entries.forEach(({ importName: { kind, name } }) => {
      add(moduleRequest.value, kind === 'Default' ? 'default' : name);
    });
    if (entries.length === 0) add(moduleRequest.value, undefined);
  }
  for (const { moduleRequest } of dynamicImports) {
    add(source.slice(moduleRequest.start + 1, moduleRequest.end - 1), undefined);
  }
  const exports: string[] = [];
  for (const { moduleRequest, importName, exportName } of staticExports.flatMap(
    ({ entries }) => entries,
  )) {
    exports.push(exportName.kind === 'Default' ? 'default' : (exportName.name ?? EVERYTHING));
    if (moduleRequest !== null) add(moduleRequest.value, importName.name);
  }
  return { imports, exports };
}
