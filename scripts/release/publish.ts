// Publishes the tarballs that `npm run pack` has made, but for those that the registry has from a try before. Arguments go to
// `npm publish`, such as --dry-run.
import { execFile, spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import packageJson from '../../package.json' with { type: 'json' };

const SUFFIX = `-${packageJson.version}.tgz`;
const folder = join(import.meta.dirname, '../../build/tarballs');
const run = promisify(execFile);

/** Whether the registry has this version of a package. */
async function isPublished(name: string): Promise<boolean> {
  const version = run('npm', ['view', `${name}@${packageJson.version}`, 'version']);
  return version.then(
    ({ stdout }) => stdout.trim() !== '',
    // Nor does it have another. If it is out of reach, npm publish says so.
    () => false,
  );
}

const tarballs = globSync(`*${SUFFIX}`, { cwd: folder }).toSorted();
if (tarballs.length === 0) throw new Error(`no tarballs of ${packageJson.version} in ${folder}`);
for (const tarball of tarballs) {
  const name = tarball.replace(/^store-gateway-/, '@store-gateway/').slice(0, -SUFFIX.length);
  if (await isPublished(name)) continue;
  const args = ['publish', join(folder, tarball), '--access', 'public', '--provenance'];
  const { status } = spawnSync('npm', [...args, ...process.argv.slice(2)], { stdio: 'inherit' });
  if (status !== 0) process.exit(1);
}
