import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { THIS_NODE } from './support/nodes.ts';
import { callerOf, projectOf } from './support/project.ts';
import { packedTarballs } from './support/tarballs.ts';

/** Projects as each version has made them, without `deploy`: named by the version. */
const PROJECTS = join(import.meta.dirname, 'projects');

/** What release notes tell: to raise the versions of these packages, all at once. */
async function raiseVersions(folder: string): Promise<void> {
  const [version] = new Set((await packedTarballs()).map((tarball) => tarball.version));
  const file = join(folder, 'package.json');
  const manifest = await readFile(file, 'utf8');
  await writeFile(file, manifest.replaceAll(/("@store-gateway\/[\w-]+": )".*"/g, `$1"${version}"`));
}

test.each(await readdir(PROJECTS))(
  'a project made by %s goes on with today’s packages',
  async (made) => {
    const { folder, run, start } = await projectOf(THIS_NODE, 'my-store', async (parent) =>
      cp(join(PROJECTS, made), join(parent, 'my-store'), { recursive: true }),
    );
    await raiseVersions(folder);
    await run('npm', 'install');
    expect(await run('npm', 'run', '--silent', 'types')).toBe('');
    expect(await run('npm', 'test')).toMatch(/(?:#|ℹ) pass 3\n(?:#|ℹ) fail 0\n/);
    await using running = await start();
    const key = await run('npm', 'run', '--silent', 'keys', '--', 'create', 'me');
    const call = callerOf(running.url, key.trim());
    const book = { id: 1, name: 'First book' };
    expect(await call('/v1/books', { name: book.name })).toEqual([201, book]);
    expect(await call('/v1/books')).toEqual([200, [book]]);
  },
);
