import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { isJsonObject } from '@store-gateway/ops';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../..');

/** Packages that ask for a newer Node than 20, which only runs npm: they run on the Node that comes along, or on 24. */
const FOR_NEWER_NODE = [
  /^@axe-core\/playwright$/,
  /^@kubernetes-models\/|^kubernetes-models$/,
  /^@opentelemetry\//,
  /^@whatwg-node\//,
  /^packages\//,
  /^vitest$/,
];

/** What package-lock.json locks, by path. */
async function locked(): Promise<(readonly [path: string, entry: unknown])[]> {
  const lockfile: unknown = JSON.parse(await readFile(join(ROOT, 'package-lock.json'), 'utf8'));
  const packages = isJsonObject(lockfile) ? lockfile['packages'] : undefined;
  return Object.entries(isJsonObject(packages) ? packages : {});
}

/** The Nodes that a package asks for. */
function nodeOf(entry: unknown): string {
  const engines = isJsonObject(entry) ? entry['engines'] : undefined;
  const node = isJsonObject(engines) ? engines['node'] : undefined;
  return typeof node === 'string' ? node : '*';
}

/** Whether a range has Node 20 in it: `^20.19 || >=22` has, `^18 || >=22` has not. */
function admitsNode20(range: string): boolean {
  return range.split('||').some((part) => {
    const [, operator = '', major = ''] = /^\s*(\D*)(\d*)/.exec(part) ?? [];
    return operator.startsWith('>') ? Number(major) <= 20 : ['20', ''].includes(major);
  });
}

test('only these packages ask for a newer Node than the oldest that the README admits', async () => {
  const packages = await locked();
  expect(packages.length).toBeGreaterThan(100);
  const asking = packages
    .filter(([, entry]) => !admitsNode20(nodeOf(entry)))
    .map(([path]) => path.split('node_modules/').at(-1) ?? '');
  const isKnown = (name: string) => FOR_NEWER_NODE.some((pattern) => pattern.test(name));
  expect(asking.filter((name) => !isKnown(name))).toEqual([]);
  const unused = FOR_NEWER_NODE.filter((pattern) => !asking.some((name) => pattern.test(name)));
  expect(unused).toEqual([]);
});

test('npm ci takes at most 600 MB', async () => {
  const { stdout } = await run('du', ['-sm', 'node_modules'], { cwd: ROOT });
  expect(Number.parseInt(stdout, 10)).toBeLessThanOrEqual(600);
});

test('npm ci brings no packages of the clients in examples, which are installed by themselves', async () => {
  const examples = (await locked()).filter(([path]) => path.startsWith('examples/'));
  expect(examples.map(([path]) => path)).toEqual(['examples/library']);
});
