/** A column of a table, as a field of a Prisma model. */
export interface Column {
  /** The column's name in the Prisma model, and in the table. */
  readonly field: string;
  readonly column: string;
  /** The type that parameters are cast to, in quotes if necessary; with `[]` for an array. */
  readonly pgType: string;
  /** Whether the column is NOT NULL. */
  readonly isRequired: boolean;
  /** Whether the column is an array. */
  readonly isList?: true;
  /** Whether a time is more precise than the milliseconds of a Date. */
  readonly isFiner?: true;
  /** For an enum: maps the values in the database to their names in the client. */
  readonly enumValues?: Readonly<Record<string, string>>;
  /** The text that a create without this column stores. */
  readonly constant?: string;
  /** The SQL expression that generates the column's value. */
  readonly generated?: string;
  /** For `@updatedAt`: the SQL expression of the time that a change stores, unless the change sets the column. */
  readonly onUpdate?: string;
  /** Whether only Prisma's engine can generate the value, as for `nanoid(64)`. */
  readonly isGeneratedByEngine?: true;
}

/** A relation from one model to another, as a field of the first. */
export interface Relation {
  readonly field: string;
  /** The relation's name, the same on both sides. */
  readonly name: string;
  /** The other model. */
  readonly model: string;
  /**
   * `one`: a field of this model holds the id of the other model's row. `many`: a field of the other model holds the id of
   * this model's row. `other`: anything else, which statements don't support.
   */
  readonly kind: 'one' | 'many' | 'other';
  /** The field that holds the id; '' for `other`. */
  readonly foreignKey: string;
  /** Whether it is a to-many relation, of any kind. */
  readonly isList?: true;
}

/** The order of a column in an index. */
export type Order = 'asc' | 'desc';

/** An index, described by its model's fields. */
export interface Index {
  /** Each field with its order, and with its operator class unless that is the type's default. */
  readonly fields: readonly {
    readonly field: string;
    readonly order: Order;
    readonly ops?: string;
  }[];
  /** Prisma's name for the index method, such as `Gin`; absent for a b-tree. */
  readonly type?: string;
}

/** A row, by field name. */
export type Row = Record<string, unknown>;

/** The kind of change that a write makes to a row. */
export type WriteOperation = 'create' | 'update' | 'delete';

/** A model with a single-column id, in the form from which statements are generated. Names aren't quoted. */
export interface Model {
  readonly name: string;
  readonly table: string;
  readonly columns: readonly Column[];
  /** The id's field. */
  readonly id: string;
  /** The indexes that aren't partial, including those of the id and of other unique columns. */
  readonly indexes: readonly Index[];
  readonly relations: readonly Relation[];
  /**
   * Creates a row from the values at an index of the columns' lists. It contains an object literal, because a loop would take
   * twice as long.
   */
  readonly rowAt: (lists: readonly (readonly unknown[])[], index: number) => Row;
}

/** The generated models, by name. */
export interface Models {
  readonly [name: string]: Model;
}

/** Returns a model's name in Prisma's client. */
export function keyOf(name: string): string {
  return `${name.charAt(0).toLowerCase()}${name.slice(1)}`;
}

/** @throws if the model has no such field */
export function columnOf(model: Model, field: string): Column {
  const column = model.columns.find((candidate) => candidate.field === field);
  if (column === undefined) {
    throw new Error(`${model.name} has no column for ${field}`);
  }
  return column;
}

/** A field, and the direction in which rows are sorted by it. */
interface Sorted {
  readonly field: string;
  readonly order: Order;
}

/**
 * Finds an index from which rows with given values of some fields can be read in a sort order: the index starts with those
 * fields, in any order, followed by the sorted fields.
 *
 * @returns those fields in the index's order, each with its direction when the index is read in the sort order: forwards or
 *   backwards
 */
export function leadingFields(
  { indexes }: Pick<Model, 'indexes'>,
  names: ReadonlySet<string>,
  sorted: readonly Sorted[],
): readonly Sorted[] | undefined {
  for (const index of indexes) {
    const leading = index.fields.slice(0, names.size);
    const isTurned = isReversedFor(index, sorted, names.size);
    if (isTurned !== undefined && leading.every(({ field }) => names.has(field))) {
      return leading.map(({ field, order }) => ({
        field,
        order: isTurned ? opposite(order) : order,
      }));
    }
  }
  return undefined;
}

/**
 * Whether an index has the sorted fields in reverse order, starting at a position; undefined if they aren't at that position.
 */
function isReversedFor(
  { type, fields }: Index,
  sorted: readonly Sorted[],
  start: number,
): boolean | undefined {
  const turned = new Set<boolean>();
  for (const [place, { field, order }] of sorted.entries()) {
    const indexed = fields[start + place];
    if (indexed?.field !== field) {
      return undefined;
    }
    turned.add(indexed.order !== order);
  }
  // With a different operator class, an index has a different order.
  const isInOrder = type === undefined && fields.every(({ ops }) => ops === undefined);
  const [isTurned] = turned;
  return isInOrder && turned.size === 1 ? isTurned : undefined;
}

function opposite(order: Order): Order {
  return order === 'asc' ? 'desc' : 'asc';
}
