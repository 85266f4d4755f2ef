/** Lexical tokens of a document: five times what introspection takes. */
export const MAXIMUM_TOKENS = 1000;

/** Levels of fields in fields. A page takes 4 of them; introspection takes 15. */
export const MAXIMUM_DEPTH = 20;

/** Aliases, each counted as often as the fragment that it stands in is used. */
export const MAXIMUM_ALIASES = 30;

/** Directives, counted alike. */
export const MAXIMUM_DIRECTIVES = 50;

/**
 * Pairs that graphql-js compares to find out whether fields of one name can be merged, and which `comparisonsIn` adds
 * up: 283 leaves of a name, or 69 lists of animals.
 */
export const MAXIMUM_COMPARISONS = 40_000;

/** Errors of a document that are told: to make one takes as long as to check ten fields. */
export const MAXIMUM_ERRORS = 20;

/** Lines of a document whose errors are told with their places: graphql-js counts them from the start for each error. */
export const MAXIMUM_PLACED_LINES = 1000;

/** The sum of what an operation's fields cost: nine pages of 100 whole animals, and not ten. */
export const MAXIMUM_COMPLEXITY = 5000;

/**
 * What a field costs. What is selected below a field with an argument `limit` counts as often as that
 * says.
 */
export const COST = {
  /** Any field that is not one of these. */
  field: 1,
  /** A field of Query asks the database. */
  query: 10,
  /** A field of Mutation waits for the database to have written. */
  mutation: 100,
  /** `__schema` and `__type`, with all that can be asked of them. */
  introspection: 500,
} as const;
