/** Lexical tokens of a document: five times what introspection takes. */
export const MAX_TOKENS = 1000;

/** Levels of nested fields. A page takes 4 of them; introspection takes 15. */
export const MAX_DEPTH = 20;

/** Aliases, counted as often as the fragment that they are in is used. */
export const MAX_ALIASES = 30;

/** Directives, counted alike. */
export const MAX_DIRECTIVES = 50;

/** Comparisons of fields of the same name (`countComparisons`): 283 leaves, or 69 lists of objects. */
export const MAX_COMPARISONS = 40_000;

/** Reported errors of a document: making one takes as long as checking ten fields. */
export const MAX_ERRORS = 20;

/** Lines of a document whose errors have locations: graphql-js counts lines from the start for each error. */
export const MAX_LOCATED_LINES = 1000;

/** An operation's complexity: nine pages of 100 whole objects, and not ten. */
export const MAX_COMPLEXITY = 5000;

/** What a field adds to the complexity. What is selected below a list counts as often as the list may have items. */
export const COST = {
  /** Any field that is not one of these. */
  field: 1,
  /** A field of Query reads the database. */
  query: 10,
  /** A field of Mutation waits for a write. */
  mutation: 100,
  /** `__schema` and `__type`, whatever is selected below them. */
  introspection: 500,
} as const;
