import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { clone } from './support/clone.ts';
import { object } from './support/unpacked.ts';

const run = promisify(execFile);

const CHANGE_SET = `---
'@store-gateway/http': minor
'@store-gateway/ops': major
---

Errors have a \`hint\`.

Rename \`warn\` to \`warning\`:

- in your log,
- in your tests.
`;

interface Manifest {
  readonly name: string;
  readonly version: unknown;
  /** The packages of this repository that it depends on, and their versions. */
  readonly ours: readonly (readonly [name: string, version: unknown])[];
}

/** The names and versions in package.json files. */
async function manifestsIn(
  root: string,
  patterns: readonly string[],
): Promise<readonly Manifest[]> {
  const paths = patterns.flatMap((pattern) => globSync(pattern, { cwd: root }));
  return Promise.all(
    paths.map(async (path) => {
      const manifest = object(JSON.parse(await readFile(join(root, path), 'utf8')));
      const kinds = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'];
      const asked = kinds.flatMap((kind) => Object.entries(object(manifest[kind])));
      return {
        name: String(manifest['name']),
        version: manifest['version'],
        ours: asked.filter(([name]) => name.startsWith('@store-gateway/')),
      };
    }),
  );
}

async function changeSets(root: string): Promise<string[]> {
  return (await readdir(join(root, '.changeset'))).filter((name) => name.endsWith('.md'));
}

test('a release turns change sets into a version, release notes and tarballs to publish', async () => {
  await using folder = await temporaryDirectory();
  const root = join(folder.path, 'clone');
  await clone(root);
  const npm = (...args: string[]) =>
    run('npm', ['run', '--silent', ...args], { cwd: root, maxBuffer: 16 * 1024 * 1024 });
  const changelog = () => readFile(join(root, 'CHANGELOG.md'), 'utf8');
  const before = (await changelog()).replace('## Unreleased\n', '## Unreleased\n\n- A note.\n');
  await writeFile(join(root, 'CHANGELOG.md'), before);
  await writeFile(join(root, '.changeset/a-hint.md'), CHANGE_SET);

  expect((await npm('release:version')).stdout).toBe('2.0.0\n');
  expect(await changeSets(root)).toEqual([]);

  // The unreleased notes become the version's notes, followed by the notes for users of the packages.
  const [intro, unreleased = ''] = before.split(/^## Unreleased\n/m);
  const [notes = ''] = unreleased.split(/^## /m);
  const after = await changelog();
  expect(
    after.startsWith(`${intro}## Unreleased\n\n## 2.0.0\n${notes.trimEnd()}\n\n### Packages\n\n`),
  ).toBe(true);
  expect(after).toContain(`- **\`http\`, \`ops\` (breaking):** Errors have a \`hint\`.

  Rename \`warn\` to \`warning\`:

  - in your log,
  - in your tests.
`);
  expect(after.endsWith(unreleased.slice(notes.length))).toBe(true);
  const { stdout: releaseNotes } = await npm('release:notes');
  expect(releaseNotes.trim()).toBe(after.split('## 2.0.0\n')[1]?.split(/^## /m)[0]?.trim());

  // npm would reject a lockfile that does not match.
  await run('npm', ['ci', '--dry-run', '--ignore-scripts', '--offline'], { cwd: root });
  const sources = await manifestsIn(root, [
    'package.json',
    'packages/*/package.json',
    'examples/library/package.json',
  ]);
  expect(sources.filter(({ version }) => version !== '2.0.0')).toEqual([]);
  expect(sources.flatMap(({ ours }) => ours).filter(([, version]) => version !== '2.0.0')).toEqual(
    [],
  );

  await npm('pack');
  const published = await manifestsIn(root, ['build/packages/*/package.json']);
  expect(published.length).toBe(sources.length - 2);
  expect(published.filter(({ version }) => version !== '2.0.0')).toEqual([]);
  expect(
    published.flatMap(({ ours }) => ours).filter(([, version]) => version !== '2.0.0'),
  ).toEqual([]);

  const publish = ['run', 'release:publish', '--', '--dry-run'];
  // A silent npm that runs these tests would pass on its log level.
  const env = { ...process.env, npm_config_loglevel: 'notice' };
  const { stdout: publishing } = await run('npm', publish, { cwd: root, env });
  const names = published.map(({ name }) => `+ ${name}@2.0.0`);
  const told = publishing.split('\n').filter((line) => line.startsWith('+'));
  expect(told.toSorted()).toEqual(names.toSorted());
});

test('release:version fails without change sets', async () => {
  await using folder = await temporaryDirectory();
  const root = join(folder.path, 'clone');
  await clone(root);
  for (const name of await changeSets(root)) await rm(join(root, '.changeset', name));
  const making = run('npm', ['run', '--silent', 'release:version'], { cwd: root });
  await expect(making).rejects.toMatchObject({
    code: 1,
    stderr: 'release:version: there are no change sets\n',
  });
});
