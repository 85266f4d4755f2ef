import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { installNode, THIS_NODE } from './support/nodes.ts';
import { callerOf, createdProject, pageAt, type Project, projectOf } from './support/project.ts';
import { packedTarballs } from './support/tarballs.ts';

/** Projects created by each version, without `deploy`. */
const PROJECTS = join(import.meta.dirname, 'projects');

/** Raises the versions of all packages at once, as the release notes say. */
async function raiseVersions(folder: string): Promise<void> {
  const [version] = new Set((await packedTarballs()).map((tarball) => tarball.version));
  const file = join(folder, 'package.json');
  const manifest = await readFile(file, 'utf8');
  await writeFile(file, manifest.replaceAll(/("@store-gateway\/[\w-]+": )".*"/g, `$1"${version}"`));
}

/** A project created by an earlier version, with the packages of this version. */
async function upgraded(made: string): Promise<Project> {
  const project = await projectOf(THIS_NODE, 'my-store', async (parent) =>
    cp(join(PROJECTS, made), join(parent, 'my-store'), { recursive: true }),
  );
  await raiseVersions(project.folder);
  return project;
}

test.each<readonly [string, () => Promise<Project>]>([
  ['created with Node.js 22 and npm 10', async () => createdProject(await installNode(22, 10))],
  ['created with Node.js 24 and npm 11', async () => createdProject(await installNode(24, 11))],
  ['created with Node.js 26 and npm 12', async () => createdProject(await installNode(26, 12))],
  ['created with the Node.js and npm that run the tests', () => createdProject(THIS_NODE)],
  ...(await readdir(PROJECTS)).map(
    (made) => [`created by version ${made} and upgraded`, () => upgraded(made)] as const,
  ),
])('a project %s serves its store', async (_name, make) => {
  const project = await make();
  await project.run('npm', 'install');
  await project.run('node_modules/.bin/gateway-preflight');
  const service = await project.start();
  {
    await using running = service;
    const key = await project.run('npm', 'run', '--silent', 'keys', '--', 'create', 'me');
    const call = callerOf(running.url, key.trim());
    const book = { id: 1, name: 'First book' };
    expect(await call('/v1/books', { name: book.name })).toEqual([201, book]);
    expect(await call('/v1/books')).toEqual([200, [book]]);
    expect(await call('/graphql', { query: '{ books { name } }' })).toEqual([
      200,
      { data: { books: [{ name: book.name }] } },
    ]);
    expect(await pageAt(`${running.url}/docs`)).toMatch(/^200 [^]*My Store/);
    expect(await pageAt(`${running.url}/graphql`)).toMatch(/^200 [^]*My Store/);
  }
  expect(await service.child.exit).toEqual({ code: 0, signal: null });
  // tsc reports no error, in strict mode and including libraries.
  expect(await project.run('npm', 'run', '--silent', 'types')).toBe('');
  expect(await project.run('npm', 'test')).toMatch(/(?:#|ℹ) pass 3\n(?:#|ℹ) fail 0\n/);
});
