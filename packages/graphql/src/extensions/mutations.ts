/** What a field of Mutation has returned, or thrown: the ids of its rows are told to whoever notes who changed what. */
export type MutationResult = { readonly ids: readonly string[] } | { readonly error: unknown };
