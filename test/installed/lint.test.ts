import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { packedTarballs } from './support/tarballs.ts';

const run = promisify(execFile);
const LINT = join(import.meta.dirname, '../../scripts/release/programs/lint.ts');

/** What publint and "Are the types wrong?" find. */
async function lint(tarballs: readonly string[]): Promise<string> {
  return (await run(process.execPath, [LINT, ...tarballs])).stdout;
}

test('publint and "Are the types wrong?" find nothing in the tarballs', async () => {
  const tarballs = await packedTarballs();
  expect(tarballs.length).toBeGreaterThan(0);
  expect(await lint(tarballs.map(({ file }) => file))).toBe('');
});

test('they would find what is missing', async () => {
  await using folder = await temporaryDirectory();
  const manifest = {
    name: 'broken',
    version: '1.0.0',
    type: 'module',
    exports: {
      '.': { types: './index.d.ts', default: './missing.js' },
      './untyped': './untyped.js',
    },
  };
  await writeFile(join(folder.path, 'package.json'), JSON.stringify(manifest));
  await writeFile(join(folder.path, 'index.d.ts'), 'export declare const one: 1;\n');
  await writeFile(join(folder.path, 'untyped.js'), 'export const two = 2;\n');
  await run('npm', ['pack', '--silent'], { cwd: folder.path });
  const found = await lint([join(folder.path, 'broken-1.0.0.tgz')]);
  expect(found).toMatch(/^broken-1\.0\.0\.tgz: publint: .*missing\.js/m);
  expect(found).toMatch(/^broken-1\.0\.0\.tgz: attw: .*UntypedResolution.*untyped/m);
});
