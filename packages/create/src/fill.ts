import type { Names } from './names.ts';

/** Where documentation is that a project has not. */
const DOCS = 'https://github.com/store-gateway/animal-store-gateway/blob/main/docs/';

const capitalized = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/**
 * A text of the template, or its file's name, with the names of a project in it: the template is a store of books named
 * `animal-store`, as `deploy` of this repository has it.
 */
export function fill(text: string, names: Names): string {
  const replacements = replacementsOf(names);
  const words = replacements.map(([word]) => `(${word})`).join('|');
  // All at once, because a name may contain a word of the template.
  return text.replaceAll(new RegExp(words, 'g'), (...matched: (string | undefined)[]) => {
    const index = matched.slice(1, 1 + replacements.length).findIndex((each) => each !== undefined);
    return replacements[index]?.[1] ?? '';
  });
}

/** Patterns of what the template has, and what a project has in its place: what is longer comes first. */
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

/** What API keys begin with: two to eight characters, and an underscore. */
function keyPrefixOf(store: string): string {
  return `${store.replaceAll('-', '').slice(0, 8).padEnd(2, 'k')}_`;
}
