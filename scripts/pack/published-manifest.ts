import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A package.json of this repository: its exports are sources. */
export interface SourceManifest {
  readonly name: string;
  readonly version: string;
  readonly files: readonly string[];
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly exports?: Readonly<Record<string, string>>;
  readonly bin?: Readonly<Record<string, string>>;
  readonly sideEffects: boolean | readonly string[];
  readonly [member: string]: unknown;
}

/** @param folder of a package */
export async function readManifest(folder: string): Promise<SourceManifest> {
  // oxlint-disable-next-line typescript/no-unsafe-return -- a package.json of this repository
  return JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
}

type Export = string | { readonly types: string; readonly default: string };

/** Members that only the repository needs. `private` keeps the sources from being published by mistake. */
const UNPUBLISHED = new Set(['private', 'devDependencies', 'scripts']);

/** The package.json that is published: its exports are compiled. */
export function publishedManifest(manifest: SourceManifest): object {
  const members = Object.entries(manifest).filter(([member]) => !UNPUBLISHED.has(member));
  return {
    ...Object.fromEntries(members),
    files: manifest.files.flatMap((file) => [file, ...declarationsOf(file)]),
    ...(manifest.exports && { exports: mapped(manifest.exports, publishedExport) }),
    ...(manifest.bin && { bin: mapped(manifest.bin, compiledPath) }),
    ...(Array.isArray(manifest.sideEffects) && {
      sideEffects: manifest.sideEffects.map(compiledPath),
    }),
  };
}

/**
 * Returns the declarations of a preloaded file, which are written when the package is packed. They are empty, because the file
 * exports nothing.
 */
export function declarationsOf(file: string): readonly string[] {
  return file.endsWith('.cjs') ? [file.replace(/cjs$/, 'd.cts')] : [];
}

function mapped<To>(
  record: Readonly<Record<string, string>>,
  change: (path: string) => To,
): Readonly<Record<string, To>> {
  return Object.fromEntries(Object.entries(record).map(([name, path]) => [name, change(path)]));
}

function publishedExport(path: string): Export {
  const compiled = compiledPath(path);
  // TypeScript finds the types of a wildcard's files beside them.
  return /\.(?:ts|cjs)$/.test(path)
    ? { types: compiled.replace(/\.(c?)js$/, '.d.$1ts'), default: compiled }
    : compiled;
}

function compiledPath(path: string): string {
  return path.replace(/^\.\/src\//, './dist/').replace(/\.ts$/, '.js');
}
