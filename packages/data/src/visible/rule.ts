/** Which rows of a model a caller sees. */
export interface RowRule<Context = never> {
  /** The columns that decide it. */
  readonly columns: readonly string[];
  /**
   * `true` for all rows, or the values that some of the columns have to equal: `{ ownerId: 7n }`, or one of several,
   * `{ ownerId: { in: [7n, 8n] } }`. Anything else is no row. It isn't awaited.
   */
  readonly where: (context: Context) => unknown;
}

/** By the names of models. */
export type RowRules<Context = never> = Readonly<Record<string, RowRule<Context>>>;

/** What Prisma's data model says of a field. */
export interface DataField {
  readonly name: string;
  /** `scalar`, `enum` or `object`, which is a relation. */
  readonly kind: string;
  /** That of a scalar, or the name of the other model. */
  readonly type: string;
  readonly isList: boolean;
  readonly isId: boolean;
  readonly isUnique: boolean;
  readonly hasDefaultValue: boolean;
  readonly relationFromFields?: readonly string[];
}

/** A model as Prisma's runtime data model has it, or its DMMF. */
export interface DataModel {
  readonly fields: readonly DataField[];
  readonly primaryKey: { readonly fields: readonly string[] } | null;
  readonly uniqueIndexes: readonly { readonly fields: readonly string[] }[];
}

/** By the names of models. */
export type DataModels = Readonly<Record<string, DataModel>>;
