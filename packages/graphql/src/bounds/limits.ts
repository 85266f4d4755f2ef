/** Maximum number of lexical tokens in a document: five times as many as introspection takes. */
export const MAX_TOKENS = 1000;

/** Maximum number of levels of nested fields. A page takes 4 of them, and introspection 15. */
export const MAX_DEPTH = 20;

/** Maximum number of aliases, each counted as often as the fragment around it is used. */
export const MAX_ALIASES = 30;

/** Maximum number of directives, each counted as often as the fragment around it is used. */
export const MAX_DIRECTIVES = 50;

/** Maximum number of comparisons of fields of the same name (`countComparisons`): 283 leaves, or 69 lists of objects. */
export const MAX_COMPARISONS = 40_000;

/** Maximum number of reported errors of a document: creating one takes as long as checking ten fields. */
export const MAX_ERRORS = 20;

/** Maximum number of lines of a document whose errors have locations: graphql-js counts lines from the start for each error. */
export const MAX_LOCATED_LINES = 1000;

/** Maximum complexity of an operation: it allows nine pages of 100 whole objects, but not ten. */
export const MAX_COMPLEXITY = 5000;

/** What a field adds to the complexity of an operation. Selections below a list count once per item that the list may have. */
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
