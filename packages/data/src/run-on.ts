import type { RunStatement } from './statement.ts';

/** A pool of node-postgres, or one of its clients. */
interface Queryable {
  /** Its `query`, whose rows are to be lists of texts. */
  readonly query: (config: {
    name: string;
    text: string;
    values: unknown[];
    rowMode: 'array';
    types: { getTypeParser: () => (text: string) => string };
  }) => Promise<{ readonly rows: readonly (string | null)[][] }>;
}

const asText = { getTypeParser: () => (text: string) => text };

/** Runs statements on a pool of node-postgres; those that read need sessions with the READ_SETTINGS. */
export function runOn(pool: Queryable): RunStatement {
  return async ({ name, preparedAs = name, text }, parameters) => {
    const { rows } = await pool.query({
      name: preparedAs,
      text,
      values: [...parameters],
      rowMode: 'array',
      types: asText,
    });
    return rows;
  };
}
