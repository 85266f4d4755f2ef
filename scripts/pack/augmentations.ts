import { glob, readFile } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import { readManifest } from './published-manifest.ts';

/** Imports that a module's declarations need besides their own. */
export type KeptImports = (source: string) => readonly string[];

/** Others add to global types what their own code uses, which nobody who imports them needs. */
const AUGMENTS = /^\s*(?:export )?namespace PothosSchemaTypes\b/m;
const IMPORTED = /(?:^|\n)(?:import|export)\b[^'";]*'((?:\.|@store-gateway\/)[^']+)'/g;

/**
 * tsc keeps imports in declarations only for the names that are used there. So what a module adds to global types, as
 * Pothos's are, would be lost to whoever imports it by another: an import of a module that adds something, or imports one of
 * its package that does, has to stay.
 *
 * @param folders of packages
 */
export async function augmentingImports(folders: readonly string[]): Promise<KeptImports> {
  const exported = new Map<string, string>();
  const modules = new Map<string, string>();
  for (const folder of folders) {
    const { name, exports = {} } = await readManifest(folder);
    for (const [path, file] of Object.entries(exports)) {
      exported.set(join(name, path), join(folder, file));
    }
    for await (const file of glob('src/**/*.ts', { cwd: folder })) {
      modules.set(join(folder, file), await readFile(join(folder, file), 'utf8'));
    }
  }
  const importsOf = (file: string): readonly string[] =>
    Array.from((modules.get(file) ?? '').matchAll(IMPORTED), ([, specifier = '']) => specifier);
  const fileOf = (specifier: string, importer: string): string =>
    exported.get(specifier) ?? normalize(join(dirname(importer), specifier));

  const reaching = new Set(
    Array.from(modules).flatMap(([file, text]) => (AUGMENTS.test(text) ? [file] : [])),
  );
  for (let before = -1; before !== reaching.size;) {
    before = reaching.size;
    for (const file of modules.keys()) {
      // Another package that is to add them itself imports them itself.
      const own = importsOf(file).filter((specifier) => specifier.startsWith('.'));
      if (own.some((specifier) => reaching.has(fileOf(specifier, file)))) {
        reaching.add(file);
      }
    }
  }
  return (source) =>
    importsOf(source).filter((specifier) => reaching.has(fileOf(specifier, source)));
}
