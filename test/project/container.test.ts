import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { newDatabase } from '../support/new-database.ts';
import { runEntry } from '../support/process.ts';
import { temporaryTree } from '../support/temporary-directory.ts';

const read = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8');

/** The repository paths that deploy/Containerfile copies. */
const copied = [...(await read('deploy/Containerfile')).matchAll(/^COPY ([^-].*) \S+$/gm)].flatMap(
  ([, sources = '']) => sources.split(' '),
);

test('the service starts from the files that the Containerfile copies', async () => {
  await using tree = await temporaryTree(copied);
  const env = {
    PORT: '0',
    DATABASE_URL: await newDatabase(),
  };
  await using child = runEntry('src/main.ts', { env, root: tree.path });
  expect(await child.line('stdout', (line) => line.includes('"listening"'))).toContain('"url"');
});

test('.dockerignore admits only the files that the Containerfile copies', async () => {
  const passed = (await read('.dockerignore')).matchAll(/^!(.+)$/gm);
  expect(new Set(Array.from(passed, ([, path = '']) => path))).toEqual(new Set(copied));
});
