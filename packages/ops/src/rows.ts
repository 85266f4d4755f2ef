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

/** How a column of rows is written as a member of JSON objects. */
export interface WrittenColumn {
  /** The member's name in quotes, and a colon. */
  readonly name: string;
  /** The field of the Prisma model. */
  readonly field: string;
  readonly isNonNull: boolean;
  /** The built-in GraphQL scalar of the field; '' for any other type. */
  readonly scalar: string;
  /** Whether JSON has an integer ID as a string. */
  readonly quotesIds: boolean;
  /** Writes any other value that isn't null. @throws if the schema has no such value */
  readonly write: (value: unknown) => string;
}

/** Rows as the database wrote them, which are decoded only if somebody asks for that. */
export interface RowTexts<Row = object> {
  readonly length: number;
  /** Some columns of a row. */
  readonly at: (index: number, columns: readonly { readonly field: string }[]) => Row | undefined;
  /** The first ones. */
  readonly slice: (start: 0, end: number) => RowTexts<Row>;
  /** The rows as objects. */
  readonly decoded: () => Row[];
  /** A JSON array with an object for each row; undefined if a column isn't of the rows, or may be null where that isn't allowed. */
  readonly write: (columns: readonly WrittenColumn[]) => string | undefined;
}

/** Rows that a database client has found. */
export type FoundRows<Row> = RowTexts<Row> | Row[];

/**
 * The root of an execution that takes the rows of a list, to write them without objects in between. It is given only if nothing
 * is selected of the rows but columns.
 */
export class TakenRows {
  /** Those that it has taken. */
  rows: RowTexts | undefined;
}

const takers = new WeakSet<object>();

/**
 * Marks a resolver of a list, a connection or its nodes: with `TakenRows` as its root, the rows that it returns may be those that
 * were taken.
 */
export function takingRows<Resolve extends object>(resolve: Resolve): Resolve {
  takers.add(resolve);
  return resolve;
}

/** Marks a resolver that returns what another does if that one is marked. */
export function takingRowsAs<Resolve extends object>(other: object, resolve: Resolve): Resolve {
  return takesRows(other) ? takingRows(resolve) : resolve;
}

/** Whether a resolver is marked: what somebody else wraps isn't, since it may leave out rows. */
export function takesRows(resolve: object | undefined): boolean {
  return resolve !== undefined && takers.has(resolve);
}

/** What a database client finds: as the database wrote it, if the client has it so and somebody takes it. */
export function foundRows<Row>(
  found: PromiseLike<Row[]>,
  root: unknown,
): PromiseLike<FoundRows<Row>> {
  return root instanceof TakenRows && hasTexts(found) ? found.texts() : found;
}

/** What a resolver returns of rows: none, if the root of the execution takes them. */
export function takenBy<Row extends object>(root: unknown, rows: FoundRows<Row>): Row[] {
  if (root instanceof TakenRows && !isDecoded(rows)) {
    root.rows = rows;
    return [];
  }
  return decodedRows(rows);
}

/** Rows as objects. */
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
