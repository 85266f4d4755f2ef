/** A statement that each connection prepares once, by its name. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** Columns in their order, each as PostgreSQL writes its value. */
export type TextRow = readonly (string | null)[];

/** A parameter as text, or the texts of an array. */
export type Parameter = string | null | readonly (string | null)[];

/** Runs a statement on a connection of its own. */
export type RunStatement = (
  statement: Statement,
  parameters: readonly Parameter[],
) => Promise<readonly TextRow[]>;
