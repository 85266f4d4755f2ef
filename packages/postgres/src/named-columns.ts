/** What a model and its fields are called in the database: batched-prisma's generator writes it. */
interface NamedColumns {
  readonly table: string;
  readonly columns: readonly {
    /** Its name in the Prisma model, and in the table. */
    readonly field: string;
    readonly column: string;
  }[];
  readonly relations: readonly {
    readonly field: string;
    /** The same on both sides. */
    readonly name: string;
    /** The field that holds the other's id. */
    readonly foreignKey: string;
  }[];
}

/** By their names. */
export type Models = Readonly<Record<string, NamedColumns>>;
