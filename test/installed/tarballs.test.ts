import { execFile } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { parseSync, Visitor } from 'rolldown/utils';
import { describe, expect, test } from 'vitest';
import { packedTarballs } from './support/tarballs.ts';
import { exportsOf, object, unpack } from './support/unpacked.ts';

const ROOT = join(import.meta.dirname, '../..');
const SCOPE = '@store-gateway/';
const EXACT = /^\d+\.\d+\.\d+(?:-[\w.]+)?$/;

const tarballs = await packedTarballs();
const names = new Set(tarballs.map(({ name }) => name));
const rootManifest = object(JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')));
const packages = await Promise.all(
  tarballs.map(
    async (tarball) => [tarball.name.slice(SCOPE.length), await unpack(tarball)] as const,
  ),
);

test('each package has a tarball with the version of this repository', () => {
  const folders = globSync('packages/*/package.json', { cwd: ROOT });
  const paths = folders.map((path) => SCOPE + path.split('/')[1]);
  expect(Array.from(names).toSorted()).toEqual(paths.toSorted());
  const versions = new Set(packages.map(([, { manifest }]) => manifest['version']));
  expect(Array.from(versions)).toEqual([rootManifest['version']]);
});

test('publint and "Are the types wrong?" find nothing in the tarballs', async () => {
  const args = [
    join(ROOT, 'scripts/release/programs/lint.ts'),
    ...tarballs.map(({ file }) => file),
  ];
  expect((await promisify(execFile)(process.execPath, args)).stdout).toBe('');
});

describe.each(packages)('the tarball of %s', (name, unpacked) => {
  const { files, manifest, read } = unpacked;
  const dependencies = {
    ...object(manifest['dependencies']),
    ...object(manifest['optionalDependencies']),
  };
  const peers = object(manifest['peerDependencies']);
  const declared = { ...dependencies, ...peers };

  test('has a description, a license, a repository and a minimum Node.js version', async () => {
    expect(manifest).toMatchObject({
      name: SCOPE + name,
      license: 'MIT',
      repository: { type: 'git', directory: `packages/${name}` },
      engines: { node: '>=22.18.0' },
      type: 'module',
    });
    expect(manifest).toHaveProperty('sideEffects');
    expect(manifest['description']).toMatch(/^[A-Z].*[^.]$/);
    expect(manifest['keywords']).toSatisfy(
      (keywords) => Array.isArray(keywords) && keywords.length > 0,
    );
    expect(await read('LICENSE')).toBe(await readFile(join(ROOT, 'LICENSE'), 'utf8'));
  });

  // test/project/third-party-notices.test.ts compares the notices with the files.
  test('has third-party notices if it has third-party files', () => {
    const ofOthers = files.filter((file) => /\.(?:br|ttf|woff2?)$/.test(file));
    expect(files.includes('THIRD-PARTY-NOTICES.md')).toBe(ofOthers.length > 0);
  });

  test('has a README with the command to install it', async () => {
    const command =
      name === 'create' ? 'npm create @store-gateway' : `npm install (?:-\\S+ )*${SCOPE}${name}`;
    expect(await read('README.md')).toMatch(new RegExp(command));
  });

  test('has no files that are only for this repository', () => {
    const unwanted = /(?:^|\/)(?:tests?|fixtures|cases|node_modules)\/|\.test\.|tsconfig|\.tgz$/;
    // Files in a template are for the projects that are created from it.
    const own = files.filter((file) => !file.startsWith('template/'));
    expect(own.filter((file) => unwanted.test(file))).toEqual([]);
    expect(
      ['private', 'devDependencies', 'scripts'].filter((member) => member in manifest),
    ).toEqual([]);
  });

  test('has the code and types for each export, and its programs', () => {
    const targets = Array.from(exportsOf(unpacked));
    const programs = Object.values(object(manifest['bin'])).map((path) => join(String(path)));
    expect(targets.length + programs.length).toBeGreaterThan(0);
    expect(programs.filter((program) => !files.includes(program))).toEqual([]);
    const missing = targets.filter(
      ([, { code, types }]) => !files.includes(code) || !files.includes(types),
    );
    expect(missing).toEqual([]);
  });

  test('has complete source maps and their sources', async () => {
    const maps = files.filter((file) => file.endsWith('.map'));
    expect(maps.length).toBeGreaterThan(0);
    const broken = await Promise.all(
      maps.map(async (path) => {
        const map = object(JSON.parse(await read(path)));
        const sources = Array.isArray(map['sources']) ? map['sources'].map(String) : [];
        const missing = sources.filter((source) => !files.includes(join(dirname(path), source)));
        return sources.length === 0 || missing.length > 0 ? [path] : [];
      }),
    );
    expect(broken.flat()).toEqual([]);
    const compiled = files.filter(
      (file) => files.includes(`src/${file.slice(5, -3)}.ts`) && /^dist\/.*\.js$/.test(file),
    );
    expect(compiled.filter((file) => !maps.includes(`${file}.map`))).toEqual([]);
  });

  test('declares every package that its code and types import', async () => {
    const undeclared = new Set<string>();
    for (const path of files.filter((file) => /\.(?:c?js|d\.c?ts)$/.test(file))) {
      const isTypes = /\.d\.c?ts$/.test(path);
      for (const imported of importedPackages(path, await read(path))) {
        const needed = isTypes ? typesOf(imported) : imported;
        if (!(needed in declared) && needed !== manifest['name'] && needed !== 'node') {
          undeclared.add(`${needed} for ${path}`);
        }
      }
    }
    expect(Array.from(undeclared)).toEqual([]);
  });

  // npm and pnpm install the peers of peers automatically. Yarn does not.
  test('declares the peers of its dependencies', () => {
    const missing = packages
      .filter(([other]) => SCOPE + other in dependencies)
      .flatMap(([other, { manifest: itsManifest }]) => {
        const optional = object(itsManifest['peerDependenciesMeta']);
        const needed = Object.keys(object(itsManifest['peerDependencies']));
        return needed
          .filter((peer) => !(peer in optional) && !(peer in declared))
          .map((peer) => `${peer} for ${other}`);
      });
    expect(missing).toEqual([]);
  });

  test('pins exact versions, and pins the other packages of this repository at its own version', () => {
    const ofOurs = Object.entries(declared).filter(([each]) => names.has(each));
    expect(ofOurs.filter(([, version]) => version !== manifest['version'])).toEqual([]);
    // Packages that use the same types must be able to share one copy of them.
    const code = Object.entries(dependencies).filter(([each]) => !each.startsWith('@types/'));
    expect(code.filter(([, version]) => !EXACT.test(String(version)))).toEqual([]);
    expect(Object.entries(peers).filter(([, range]) => range === '*')).toEqual([]);
  });
});

/** The package with the types of a package: its @types package if this repository has one, or else itself. */
function typesOf(name: string): string {
  const ofOthers = `@types/${name.replace(/^@(.+)\//, '$1__')}`;
  return existsSync(join(ROOT, 'node_modules', ofOthers)) ? ofOthers : name;
}

/** The packages that a JavaScript or TypeScript file imports, in code or types; `node` for built-in modules. */
function importedPackages(path: string, text: string): ReadonlySet<string> {
  const { program, comments, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`);
  const specifiers: unknown[] = comments.flatMap(
    ({ value }) => /^\/\s*<reference types="([^"]+)"/.exec(value)?.[1] ?? [],
  );
  const note = ({ source }: { readonly source: unknown }) => {
    specifiers.push(valueOf(source));
  };
  new Visitor({
    ImportDeclaration: note,
    ExportNamedDeclaration: note,
    ExportAllDeclaration: note,
    ImportExpression: note,
    TSImportType: note,
    TSModuleDeclaration: ({ id }) => {
      specifiers.push(valueOf(id));
    },
  }).visit(program);
  return new Set(
    specifiers
      .filter((specifier) => typeof specifier === 'string')
      .filter((specifier) => !/^[./#]/.test(specifier))
      .map(packageOf),
  );
}

function valueOf(literal: unknown): unknown {
  return typeof literal === 'object' && literal !== null && 'value' in literal
    ? literal.value
    : undefined;
}

function packageOf(specifier: string): string {
  if (isBuiltin(specifier)) return 'node';
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}
