/** A column of a table, as a field of a Prisma model. */
export interface Column {
  /** Its name in the Prisma model, and in the table. */
  readonly field: string;
  readonly column: string;
  /** To cast parameters to, between quotes where it needs them; of an array with `[]`. */
  readonly pgType: string;
  /** Whether it is NOT NULL. */
  readonly isRequired: boolean;
  /** Whether it is an array, of values of its kind. */
  readonly isList?: true;
  /** Of a time: whether it has more digits than the milliseconds of a Date. */
  readonly isFiner?: true;
  /** Of an enum: what the client calls each of the database's values. */
  readonly enumValues?: Readonly<Record<string, string>>;
  /** The text of what a create without this column stores. */
  readonly constant?: string;
  /** The SQL expression that generates it. */
  readonly generated?: string;
  /** The SQL expression of the time that a change stores where it gives none: of a column that is `@updatedAt`. */
  readonly onUpdate?: string;
  /** Whether only Prisma's engine can generate it, as `nanoid(64)`. */
  readonly isGeneratedByEngine?: true;
}

/** A relation of a model to another, as one of its fields. */
export interface Relation {
  readonly field: string;
  /** The same on both sides. */
  readonly name: string;
  /** The other model. */
  readonly model: string;
  /**
   * `one`: a field of this model holds the id of the other's row. `many`: a field of the other holds that of this
   * model's. `other`: anything else, which statements don't follow.
   */
  readonly kind: 'one' | 'many' | 'other';
  /** That field; '' for `other`. */
  readonly foreignKey: string;
  /** Whether it is one to many, of whichever kind. */
  readonly isList?: true;
}

/** The order of a column in an index. */
export type Order = 'asc' | 'desc';

/** An index, by the fields of its model. */
export interface Index {
  /** With its order, and its operator class unless that is the type's own. */
  readonly fields: readonly {
    readonly field: string;
    readonly order: Order;
    readonly ops?: string;
  }[];
  /** Prisma's name of its method, `Gin` for example, unless that is a b-tree. */
  readonly type?: string;
}

/** A row, by the names of fields. */
export type Row = Record<string, unknown>;

/** What a write does to a row. */
export type WriteOperation = 'create' | 'update' | 'delete';

/** A model with an id of one column, as statements are made from. Names aren't quoted yet. */
export interface Model {
  readonly name: string;
  readonly table: string;
  readonly columns: readonly Column[];
  /** The id's field. */
  readonly id: string;
  /** Those that aren't partial, those of the id and of other unique columns too. */
  readonly indexes: readonly Index[];
  readonly relations: readonly Relation[];
  /** Makes a row of the values at an index of the columns' lists: as a literal, which takes half of the time of a loop. */
  readonly rowAt: (lists: readonly (readonly unknown[])[], index: number) => Row;
}

/** Models by their names, as the generator writes them. */
export interface Models {
  readonly [name: string]: Model;
}

/** What Prisma's client calls a model. */
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

/** A field, and the direction in which rows are in the order of its values. */
interface Sorted {
  readonly field: string;
  readonly order: Order;
}

/**
 * Finds an index that returns the rows with given values of some fields in a sort order: it starts with those fields, in any
 * order, followed by the sorted fields.
 *
 * @returns those fields in its order, with the order of each when it is read as the others are: as it is, or turned round
 */
export function leadingFields(
  { indexes }: Pick<Model, 'indexes'>,
  names: ReadonlySet<string>,
  sorted: readonly Sorted[],
): readonly Sorted[] | undefined {
  for (const index of indexes) {
    const leading = index.fields.slice(0, names.size);
    const isTurned = isTurnedFor(index, sorted, names.size);
    if (isTurned !== undefined && leading.every(({ field }) => names.has(field))) {
      return leading.map(({ field, order }) => ({
        field,
        order: isTurned ? opposite(order) : order,
      }));
    }
  }
  return undefined;
}

/** Whether an index that has the sorted fields from a place on has them turned round; undefined if it hasn't got them. */
function isTurnedFor(
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
  // Of another operator class, an index has another order.
  const isInOrder = type === undefined && fields.every(({ ops }) => ops === undefined);
  const [isTurned] = turned;
  return isInOrder && turned.size === 1 ? isTurned : undefined;
}

function opposite(order: Order): Order {
  return order === 'asc' ? 'desc' : 'asc';
}
