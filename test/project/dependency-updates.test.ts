import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isJsonObject } from '@store-gateway/ops';

const ROOT = join(import.meta.dirname, '../..');
const ENGINE = '@prisma/schema-engine-wasm';

type JsonObject = Record<string, unknown>;

async function readJson(path: string): Promise<JsonObject> {
  return object(JSON.parse(await readFile(join(ROOT, path), 'utf8')));
}

function object(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

const examples = (await readdir(join(ROOT, 'examples'))).map((name) => `examples/${name}`);
const manifests = await Promise.all(
  [
    '.',
    'bench',
    'scripts/reference',
    'scripts/release',
    'test/clients',
    'packages/create/template',
    ...examples,
  ].map((folder) => readJson(join(folder, 'package.json'))),
);
/** Of each package, the versions that the manifests ask for. */
const versions = new Map<string, Set<unknown>>();
for (const manifest of manifests) {
  for (const kind of ['dependencies', 'devDependencies', 'optionalDependencies', 'overrides']) {
    for (const [name, version] of Object.entries(object(manifest[kind]))) {
      // An override may be about what a package depends on, rather than the package; what is omitted has no version.
      if (typeof version === 'string' && !/^(?:file:|\$)/.test(version)) {
        versions.set(name, (versions.get(name) ?? new Set()).add(version));
      }
    }
  }
}

test('a package has one version, wherever it is asked for, but for the TypeScript of the examples and clients', () => {
  const several = Array.from(versions).filter(([, asked]) => asked.size > 1);
  expect(several.map(([name]) => name)).toEqual(['typescript']);
});

test('Prisma is of one version, and its schema engine the one that was made for that', async () => {
  const family = Array.from(versions).filter(
    ([name]) => /^(?:@prisma\/|prisma$)/.test(name) && name !== ENGINE,
  );
  expect(new Set(family.flatMap(([, asked]) => Array.from(asked))).size).toBe(1);
  const locked = object((await readJson('package-lock.json'))['packages']);
  const engines = object(object(locked['node_modules/@prisma/engines'])['dependencies']);
  const asking = await readJson('packages/local/package.json');
  expect(object(asking['dependencies'])[ENGINE]).toBe(engines['@prisma/engines-version']);
});

test('the groups in which packages are updated name packages that there are', async () => {
  const rules = list((await readJson('.github/renovate.json'))['packageRules']).map(object);
  const named = rules.flatMap((rule) => list(rule['matchPackageNames']).map(String));
  // A pattern may stand for what is yet to come.
  const exact = named.map((name) => name.replace(/^!/, '')).filter((name) => !name.includes('*'));
  expect(exact.length).toBeGreaterThan(0);
  expect(exact.filter((name) => name !== ENGINE && !versions.has(name))).toEqual([]);
});
