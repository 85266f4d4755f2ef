import type { RunStatement, Statement, TextRow } from './statement.ts';

/** The statements of a batch. */
export interface BatchStatements {
  /** Its parameters are lists, with a value for each request. */
  readonly several: Statement;
  /** For a single request: its parameters are values, which takes the database less. Its columns are the same. */
  readonly single: Statement;
}

/** @param lists the parameters, with a value for each request */
export function runBatchStatement(
  run: RunStatement,
  { several, single }: BatchStatements,
  lists: readonly (readonly (string | null)[])[],
): Promise<readonly TextRow[]> {
  return lists[0]?.length === 1
    ? run(
        single,
        lists.map(([value = null]) => value),
      )
    : run(several, lists);
}
