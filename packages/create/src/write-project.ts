import { CommandFailure } from '@store-gateway/ops/command-line';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import ownManifest from '../package.json' with { type: 'json' };
import type { Names } from './names.ts';

const TEMPLATE = join(import.meta.dirname, '../template');

/**
 * Matches the template's files whose names begin with a dot in a generated project. The template omits the dot, because npm
 * doesn't publish some dotfiles.
 */
const DOTTED = /^(?:npmrc|gitignore|dockerignore|github(?=\/))/;

/**
 * Writes a store's project.
 *
 * @param folder the project's folder, which is created if it is missing
 * @throws CommandFailure (1) if the folder isn't empty, or can't be created
 */
export async function writeProject(folder: string, names: Names): Promise<void> {
  await mkdir(folder, { recursive: true }).catch(({ message }: Error) => {
    throw new CommandFailure(1, `could not create the folder ${names.store}: ${message}`);
  });
  if ((await readdir(folder)).length > 0) {
    throw new CommandFailure(1, `the folder ${names.store} is not empty: choose a different name`);
  }
  const entries = await readdir(TEMPLATE, { recursive: true, withFileTypes: true });
  for (const entry of entries.filter((each) => !each.isDirectory())) {
    const source = join(entry.parentPath, entry.name);
    const path = source.slice(TEMPLATE.length + 1);
    const target = join(folder, fill(path.replace(DOTTED, '.$&'), names));
    await mkdir(dirname(target), { recursive: true });
    const text = fill(await readFile(source, 'utf8'), names);
    await writeFile(target, path === 'package.json' ? withOwnVersion(text) : text);
  }
}

/** Sets the version of our packages, which is the same for all of them. */
function withOwnVersion(manifest: string): string {
  return manifest.replaceAll(/("@store-gateway\/[\w-]+": )".*"/g, `$1"${ownManifest.version}"`);
}

/** The URL of the docs, which a project doesn't contain. */
const DOCS = 'https://github.com/store-gateway/animal-store-gateway/blob/main/docs/';

const capitalized = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/**
 * Replaces the names in a template's text or file name with those of a project. The template is a store of books named
 * `animal-store`, as in `deploy` of this repository.
 */
function fill(text: string, names: Names): string {
  const replacements = replacementsOf(names);
  const words = replacements.map(([word]) => `(${word})`).join('|');
  // Replaces all words at once, because a name may contain a word from the template.
  return text.replaceAll(new RegExp(words, 'g'), (...matched: (string | undefined)[]) => {
    const index = matched.slice(1, 1 + replacements.length).findIndex((each) => each !== undefined);
    return replacements[index]?.[1] ?? '';
  });
}

/** Patterns in the template and their replacements, longest first. */
function replacementsOf({
  store,
  resource,
  plural,
}: Names): readonly (readonly [string, string])[] {
  const words = store.split('-');
  const article = /^(?:[aeio]|u(?!s|ni))/.test(resource) ? 'n' : '';
  return [
    [String.raw`\./packages/gateway/preflight\.cjs`, '@store-gateway/gateway/preflight'],
    [String.raw`(?<![/\w])docs/(?=[\w-]+\.md)`, DOCS],
    [`animal_(?=')`, keyPrefixOf(store)],
    ['animal-store', store],
    ['animal_store', words.join('_')],
    ['AnimalStore', words.map(capitalized).join('')],
    ['Animal Store(?: Gateway)?', words.map(capitalized).join(' ')],
    [String.raw`\ba book\b`, `a${article} ${resource}`],
    [String.raw`\bA book\b`, `A${article} ${resource}`],
    ['books', plural],
    ['Books', capitalized(plural)],
    ['book', resource],
    ['Book', capitalized(resource)],
    ['BOOK', resource.toUpperCase()],
  ];
}

/** Returns the prefix of API keys: two to eight characters and an underscore. */
function keyPrefixOf(store: string): string {
  return `${store.replaceAll('-', '').slice(0, 8).padEnd(2, 'k')}_`;
}
