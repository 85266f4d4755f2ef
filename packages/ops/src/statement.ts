/** A statement that each connection prepares once. */
export interface Statement {
  /** What it does, in metrics and traces. */
  readonly name: string;
  /** What it is prepared by, if that isn't its name: `:` and what it is for follow, where several do the same. '' if it isn't kept. */
  readonly preparedAs?: string;
  readonly text: string;
}

/** Columns in their order, each as PostgreSQL writes its value. */
export type TextRow = readonly (string | null)[];

/** Runs a statement on a connection of its own. */
export type RunStatement<Value = unknown> = (
  statement: Statement,
  values: readonly Value[],
) => Promise<readonly TextRow[]>;
