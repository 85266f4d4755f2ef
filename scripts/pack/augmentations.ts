import { glob, readFile } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import { readManifest } from './published-manifest.ts';

/** Returns the imports that must be added to a module's declarations. */
export type KeptImports = (source: string) => readonly string[];

/**
 * Matches augmentations of Pothos's types. Other augmentations are used by their own code alone, so importers don't need them.
 */
const AUGMENTS = /^\s*(?:export )?namespace PothosSchemaTypes\b/m;
const IMPORTED = /(?:^|\n)(?:import|export)\b[^'";]*'((?:\.|@store-gateway\/)[^']+)'/g;

/**
 * Finds imports of modules that augment global types, such as Pothos's. tsc keeps an import in declarations only if its names
 * are used there, so code that imports these modules indirectly would lose the augmentations. Imports of a module have to stay
 * if it augments a type, or imports a module of its own package that does.
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
      // Only relative imports: a package that needs another package's augmentations imports them itself.
      const own = importsOf(file).filter((specifier) => specifier.startsWith('.'));
      if (own.some((specifier) => reaching.has(fileOf(specifier, file)))) {
        reaching.add(file);
      }
    }
  }
  return (source) =>
    importsOf(source).filter((specifier) => reaching.has(fileOf(specifier, source)));
}
