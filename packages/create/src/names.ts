import { STORE_NAME } from '@store-gateway/ops';
import { CommandFailure } from '@store-gateway/ops/command-line';

/** Maximum length of a store's name, so that the names derived from it stay short enough. */
const MAX_STORE_NAME_LENGTH = 40;

/** Matches the singular or plural name of a resource, which must be valid in code, in SQL and in a path. */
const RESOURCE = /^[a-z]{2,30}$/;

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));

/**
 * Names that a resource can't have, because types in every schema, types in the generated code, or files next to the resource's
 * file already use them.
 */
const TAKEN = words(
  `index builder constructor query mutation subscription node page edge int float string boolean id date decimal json bytes object function symbol
   error array map set promise number buffer record partial required readonly pick omit exclude extract prisma`,
);

/** Plurals that a resource can't have: JavaScript's reserved words, and the names that the resource's file imports. */
const RESERVED = words(
  `builder text await break case catch class const continue debugger default delete do else enum export extends false finally for if
   implements import in instanceof interface let new null package private protected public return static super switch
   this throw true try typeof var void while with yield arguments eval`,
);

/** The names of a project. */
export interface Names {
  /** The store's name, such as `my-store`. */
  readonly store: string;
  /** The resource's name in the singular, such as `book`. */
  readonly resource: string;
  /** The resource's name in the plural, such as `books`. */
  readonly plural: string;
}

/** @throws CommandFailure (2) for a name that isn't valid everywhere it is used */
export function expectStoreName(name: string): void {
  if (!STORE_NAME.form.test(name) || name.length > MAX_STORE_NAME_LENGTH) {
    throw new CommandFailure(
      2,
      `NAME must be lower-case words with hyphens such as my-store, at most ${MAX_STORE_NAME_LENGTH} characters, not ${JSON.stringify(name)}`,
    );
  }
  if (STORE_NAME.notARole.test(name)) {
    throw new CommandFailure(
      2,
      `NAME can't be ${name}: PostgreSQL reserves that name for its own roles`,
    );
  }
}

/** @throws CommandFailure (2) for a name that isn't valid everywhere it is used */
export function expectResourceNames({ resource, plural }: Omit<Names, 'store'>): void {
  if (!RESOURCE.test(resource)) {
    throw new CommandFailure(
      2,
      `--resource must be one word of a-z such as book, not ${JSON.stringify(resource)}`,
    );
  }
  if (TAKEN.has(resource)) {
    throw new CommandFailure(
      2,
      `--resource can't be ${resource}: that name is already used for something else`,
    );
  }
  if (!RESOURCE.test(plural) || plural === resource || RESERVED.has(plural)) {
    throw new CommandFailure(
      2,
      `--plural must be one word of a-z other than ${resource} such as ${resource}s, not ${JSON.stringify(plural)}`,
    );
  }
}

/** Returns the plural of most English words. */
export function pluralOf(word: string): string {
  if (/[^aeiou]y$/.test(word)) return word.replace(/y$/, 'ies');
  return /(?:s|x|z|ch|sh)$/.test(word) ? `${word}es` : `${word}s`;
}
