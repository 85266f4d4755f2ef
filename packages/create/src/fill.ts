import type { Names } from './names.ts';

/** Where documentation is that a project has not. */
const DOCS = 'https://github.com/store-gateway/animal-store-gateway/blob/main/docs/';

const capitalized = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/**
 * A text of the template, or its file's name, with the names of a project in it: the template is a store of books named
 * `animal-store`, as `deploy` of this repository has it.
 */
export function fill(text: string, { store, resource, plural }: Names): string {
  const words = store.split('-');
  const article = /^[aeiou]/.test(resource) ? 'an' : 'a';
  return text
    .replaceAll('./packages/gateway/preflight.cjs', '@store-gateway/gateway/preflight')
    .replaceAll(/(?<![/\w])docs\/(?=[\w-]+\.md)/g, DOCS)
    .replaceAll("animal_'", `${keyPrefixOf(store)}'`)
    .replaceAll('animal-store', store)
    .replaceAll('animal_store', words.join('_'))
    .replaceAll('AnimalStore', words.map(capitalized).join(''))
    .replaceAll(/Animal Store(?: Gateway)?/g, words.map(capitalized).join(' '))
    .replaceAll(/\b([Aa]) book\b/g, (_all, a: string) => `${a}${article.slice(1)} ${resource}`)
    .replaceAll('books', plural)
    .replaceAll('Books', capitalized(plural))
    .replaceAll('book', resource)
    .replaceAll('Book', capitalized(resource))
    .replaceAll('BOOK', resource.toUpperCase());
}

/** What API keys begin with: two to eight characters, and an underscore. */
function keyPrefixOf(store: string): string {
  return `${store.replaceAll('-', '').slice(0, 8).padEnd(2, 'k')}_`;
}
