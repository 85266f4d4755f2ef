/** What of a Prisma model says how its lists are read, as the generator of batched-prisma writes it. */
export interface IndexedModel {
  readonly name: string;
  readonly id: string;
  readonly columns: readonly { readonly field: string }[];
  /** The fields of each index. */
  readonly indexes: readonly (readonly string[])[];
  readonly relations: readonly {
    readonly field: string;
    /** `many`: of rows that hold the id of this model's row in their `foreignKey`. */
    readonly kind: 'one' | 'many' | 'other';
    readonly foreignKey: string;
  }[];
}

export type IndexedModels = Readonly<Record<string, IndexedModel>>;

/** Columns that a list is always filtered by, and those that a client may filter it by. */
export interface Filters {
  readonly always: readonly string[];
  readonly optional: readonly string[];
}

/** Of more, a list has more filters than anybody makes indexes for. */
const MAX_NAMED = 4;

/**
 * The indexes that a list lacks, as Prisma writes them: for each combination of its filters, one on these columns, in
 * whatever order, and then the id. Pages are read off it.
 */
export function missingIndexes(model: IndexedModel, { always, optional }: Filters): string[] {
  const isCovered = (fields: readonly string[]): boolean =>
    fields.length === 0 ||
    model.indexes.some(
      (index) =>
        index.at(-1) === model.id &&
        index.length === fields.length + 1 &&
        fields.every((field) => index.includes(field)),
    );
  return combinations(optional)
    .map((chosen) => always.concat(chosen))
    .filter((fields) => !isCovered(fields))
    .take(MAX_NAMED)
    .map((fields) => `@@index([${[...fields, model.id].join(', ')}])`)
    .toArray();
}

/** All subsets, small ones of the first elements first. */
function* combinations(names: readonly string[]): Generator<readonly string[]> {
  for (let chosen = 0; chosen < 2 ** names.length; chosen += 1) {
    yield names.filter((_name, place) => Math.floor(chosen / 2 ** place) % 2 === 1);
  }
}
