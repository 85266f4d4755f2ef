// Publishes the tarballs that `npm run pack` has made, except those that an earlier attempt has published. Arguments such as
// --dry-run are passed to `npm publish`.
import { execFile, spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { readManifest } from '../pack/published-manifest.ts';
import packageJson from '../../package.json' with { type: 'json' };

const ROOT = join(import.meta.dirname, '../..');
const run = promisify(execFile);

/** Whether the registry has this version of a package. */
async function isPublished(name: string): Promise<boolean> {
  const version = run('npm', ['view', `${name}@${packageJson.version}`, 'version']);
  return version.then(
    ({ stdout }) => stdout.trim() !== '',
    // The registry doesn't have the package at all. If it is unreachable, npm publish reports that.
    () => false,
  );
}

/** The packages, each after its dependencies, so that an attempt that fails halfway leaves none that can't be installed. */
async function inOrder(): Promise<ReadonlySet<string>> {
  const dependencies = new Map<string, readonly string[]>();
  for (const file of globSync('packages/*/package.json', { cwd: ROOT })) {
    const { name, dependencies: own = {} } = await readManifest(dirname(join(ROOT, file)));
    dependencies.set(name, Object.keys(own));
  }
  const ordered = new Set<string>();
  const add = (name: string): void => {
    dependencies.get(name)?.forEach(add);
    if (dependencies.has(name)) ordered.add(name);
  };
  for (const name of dependencies.keys()) add(name);
  return ordered;
}

for (const name of await inOrder()) {
  if (await isPublished(name)) continue;
  const tarball = `${name.slice(1).replace('/', '-')}-${packageJson.version}.tgz`;
  const args = [
    'publish',
    join(ROOT, 'build/tarballs', tarball),
    '--access',
    'public',
    '--provenance',
  ];
  const { status } = spawnSync('npm', [...args, ...process.argv.slice(2)], { stdio: 'inherit' });
  if (status !== 0) process.exit(1);
}
