import { cp, glob, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import type { KeptImports } from './augmentations.ts';
import { declarationsOf, publishedManifest, readManifest } from './published-manifest.ts';

/** Where tsc writes the code of all packages. */
const COMPILED = 'build/compiled';

/** Members of `files` that are staged separately. */
const CODE = new Set(['dist', 'src']);

/** Whether a file is TypeScript that is compiled; scripts for browsers are JavaScript already. */
const isSource = (path: string): boolean => path.endsWith('.ts') && !path.endsWith('.d.ts');

/** Whether a file is published. GraphiQL's generated files are, but not their generator. */
const isPublished = (path: string): boolean =>
  !path.endsWith('browser/tsconfig.json') && !path.endsWith('playground/generate.ts');

/**
 * Writes the published files of a package: `dist` with code and types, `src` with the sources that their maps refer to, and
 * everything else that `files` in its package.json names.
 *
 * @param name of its folder below `packages`
 * @returns the folder that was written
 */
export async function stagePackage(name: string, keptImports: KeptImports): Promise<string> {
  const source = join('packages', name);
  const target = join('build/packages', name);
  await rm(target, { recursive: true, force: true });
  await mkdir(target, { recursive: true });
  const manifest = await readManifest(source);
  await writeFile(
    join(target, 'package.json'),
    `${JSON.stringify(publishedManifest(manifest), null, 2)}\n`,
  );
  for (const file of ['README.md', ...manifest.files.filter((each) => !CODE.has(each))]) {
    await cp(join(source, file), join(target, file), {
      recursive: true,
      // A template has symbolic links to files of this repository.
      dereference: true,
      filter: isPublished,
    });
  }
  for (const file of manifest.files.flatMap(declarationsOf)) {
    await writeFile(join(target, file), 'export {};\n');
  }
  await cp('LICENSE', join(target, 'LICENSE'));
  for await (const path of glob('src/**/*.*', { cwd: source })) {
    if (isPublished(path)) {
      await cp(join(source, path), join(target, isSource(path) ? path : inDist(path)));
    }
  }
  for await (const path of glob('{src/**/*.{js,d.ts,map},browser/*.d.ts}', {
    cwd: join(COMPILED, name),
  })) {
    const text = await readFile(join(COMPILED, name, path), 'utf8');
    const staged = join(target, inDist(path));
    await mkdir(dirname(staged), { recursive: true });
    await writeFile(
      staged,
      path.endsWith('.map')
        ? mapTo(text, path)
        : path.endsWith('.d.ts')
          ? declarations(text, keptImports(join(source, path.replace(/\.d\.ts$/, '.ts'))))
          : text,
    );
  }
  return target;
}

const inDist = (path: string): string => path.replace(/^src\//, 'dist/');

/** Makes a source map refer to the sources in the same package. */
function mapTo(text: string, path: string): string {
  const source = path.replace(/\.(?:d\.ts|js)\.map$/, '.ts');
  const sources = [relative(dirname(inDist(path)), source)];
  // oxlint-disable-next-line typescript/no-unsafe-assignment -- tsc has written it
  const map: object = JSON.parse(text);
  return JSON.stringify({ ...map, sources });
}

/** tsc rewrites relative imports of `.ts` in code, but not in declarations. */
function declarations(text: string, keptImports: readonly string[]): string {
  const missing = keptImports.filter((specifier) => !text.includes(`'${specifier}'`));
  return [...missing.map((specifier) => `import '${specifier}';\n`), text]
    .join('')
    .replaceAll(/((?:from|import\(|import) ?['"]\.{1,2}\/[^'"]*)\.ts(['"])/g, '$1.js$2');
}
