import type { BatchStatements } from './batch.ts';

/** A parameter, as a column of the rows that a statement is given. */
export interface Parameter {
  readonly name: string;
  readonly pgType: string;
  readonly isList?: true | undefined;
}

/**
 * Rows of parameters with their numbers: lists of a batch's, or those of a single row, which take the database less.
 *
 * @param first the number of the first parameter in the statement
 */
export function parameterRows(
  parameters: readonly Parameter[],
  size: keyof BatchStatements,
  first = 1,
): string {
  // PostgreSQL would take arrays of arrays apart to their last values.
  const values = parameters.map(
    ({ pgType, isList }, index) => `$${first + index}::${isList ? 'text' : pgType}`,
  );
  const rows =
    size === 'single'
      ? `(VALUES (${values.join(', ')}, 1))`
      : `unnest(${values.map((value) => `${value}[]`).join(', ')}) WITH ORDINALITY`;
  return `${rows} AS parameters (${parameters.map(({ name }) => name).join(', ')}, number)`;
}

/** What a parameter stands for. */
export function valueOf({ isList, pgType }: Omit<Parameter, 'name'>, reference: string): string {
  return isList ? `${reference}::${pgType}` : reference;
}
