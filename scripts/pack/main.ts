import { execFile } from 'node:child_process';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { promisify } from 'node:util';
import { augmentingImports } from './augmentations.ts';
import { stagePackage } from './stage.ts';

// Compiles all packages, and packs the files that `npm publish` would publish into build/tarballs.
const run = promisify(execFile);
const TARBALLS = 'build/tarballs';

await rm('build', { recursive: true, force: true });
await mkdir(TARBALLS, { recursive: true });
await run('tsc', ['-p', 'scripts/pack/tsconfig.json']).catch((failure: unknown) => {
  // tsc reports on stdout.
  throw failure instanceof Error && 'stdout' in failure
    ? new Error(String(failure.stdout))
    : failure;
});
const names = (await readdir('packages', { withFileTypes: true }))
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);
const keptImports = await augmentingImports(names.map((name) => `packages/${name}`));
const folders = await Promise.all(names.map((name) => stagePackage(name, keptImports)));
const { stdout } = await run('npm', [
  'pack',
  '--pack-destination',
  TARBALLS,
  ...folders.map((folder) => `./${folder}`),
]);
process.stdout.write(stdout);
