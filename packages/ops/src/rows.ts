/** A statement that each connection prepares once. */
export interface Statement {
  /** Names what the statement does, in metrics and traces. */
  readonly name: string;
  /**
   * The name under which the statement is prepared. Defaults to `name`. Statements that share a name append `:` and a suffix. ''
   * means that the prepared statement isn't cached.
   */
  readonly preparedAs?: string;
  readonly text: string;
}

/** A row's column values in order, in PostgreSQL's text format. */
export type TextRow = readonly (string | null)[];

/** Runs a statement on its own connection. */
export type RunStatement<Value = unknown> = (
  statement: Statement,
  values: readonly Value[],
) => Promise<readonly TextRow[]>;

/** How a column is written as a member of JSON objects. */
export interface WrittenColumn {
  /** The member's name in quotes, followed by a colon. */
  readonly name: string;
  /** The field of the Prisma model. */
  readonly field: string;
  readonly isNonNull: boolean;
  /** The built-in GraphQL scalar of the field; '' for any other type. */
  readonly scalar: string;
  /** Whether an integer ID is written as a string. */
  readonly quotesIds: boolean;
  /**
   * Writes any non-null value for which the members above don't suffice.
   *
   * @throws Error if the value isn't valid for the field's type
   */
  readonly write: (value: unknown) => string;
}

/** Rows as text values from the database, which are decoded only on demand. */
export interface RowTexts<Row = object> {
  readonly length: number;
  /** Returns some columns of a row. */
  readonly at: (index: number, columns: readonly { readonly field: string }[]) => Row | undefined;
  /** Returns the first rows. */
  readonly slice: (start: 0, end: number) => RowTexts<Row>;
  /** Returns the rows as objects. */
  readonly decoded: () => Row[];
  /**
   * Writes a JSON array with an object for each row; undefined if the rows lack a column, or if a column that must not be null
   * may be null.
   */
  readonly write: (columns: readonly WrittenColumn[]) => string | undefined;
}

/** Rows that a database client has found. */
export type FoundRows<Row> = RowTexts<Row> | Row[];

/**
 * A root value that accepts a list's rows, so that they are written as JSON without being decoded into objects. It is used only
 * if the selection contains nothing but columns.
 */
export class RowSink {
  /** The rows that were passed to it. */
  rows: RowTexts | undefined;
}

const takers = new WeakSet<object>();

/** Marks the resolver of a list, a connection or its nodes as one that passes its rows to a `RowSink` root. */
export function withRowSink<Resolve extends object>(resolve: Resolve): Resolve {
  takers.add(resolve);
  return resolve;
}

/** Marks a resolver that returns another resolver's result, if that one was marked by `withRowSink`. */
export function withRowSinkOf<Resolve extends object>(other: object, resolve: Resolve): Resolve {
  return acceptsRowSink(other) ? withRowSink(resolve) : resolve;
}

/**
 * Whether a resolver was marked by `withRowSink`. A wrapper around a marked resolver isn't marked by default, because it may omit
 * rows.
 */
export function acceptsRowSink(resolve: object | undefined): boolean {
  return resolve !== undefined && takers.has(resolve);
}

/** Returns the rows that a database client finds: as `RowTexts` if the client provides them and the root is a `RowSink`. */
export function foundRows<Row>(
  found: PromiseLike<Row[]>,
  root: unknown,
): PromiseLike<FoundRows<Row>> {
  return root instanceof RowSink && hasTexts(found) ? found.texts() : found;
}

/**
 * Passes `RowTexts` to a root that is a `RowSink`. Returns the rows that the resolver must return: none if the root has accepted
 * them.
 */
export function sendToSink<Row extends object>(root: unknown, rows: FoundRows<Row>): Row[] {
  if (root instanceof RowSink && !isDecoded(rows)) {
    root.rows = rows;
    return [];
  }
  return decodedRows(rows);
}

/** Returns rows as objects. */
export function decodedRows<Row>(rows: FoundRows<Row>): Row[] {
  return isDecoded(rows) ? rows : rows.decoded();
}

function isDecoded<Row>(rows: FoundRows<Row>): rows is Row[] {
  return Array.isArray(rows);
}

function hasTexts<Row>(
  found: PromiseLike<Row[]>,
): found is PromiseLike<Row[]> & { readonly texts: () => PromiseLike<FoundRows<Row>> } {
  return 'texts' in found && typeof found.texts === 'function';
}
