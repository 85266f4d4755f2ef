/** A store's name, from which its folders, metrics and PostgreSQL role derive. */
export const STORE_NAME = {
  /** Lower-case words with hyphens. */
  form: /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/,
  /** Names that PostgreSQL accepts for no role, or reserves. */
  notARole: /^(?:pg-.*|public|none)$/,
} as const;
