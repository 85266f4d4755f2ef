import { encoderOf, type Encoded } from './encode.ts';
import type { Column, Model } from './model.ts';
import { columnOf } from './sql.ts';

/** What pages can be filtered by: one value of each column of an index that ends with the id. */
export interface PageFilter {
  /** Its place among the model's filters. */
  readonly index: number;
  readonly fields: readonly string[];
  readonly encoders: readonly ((value: unknown) => Encoded)[];
}

/** By the names of their fields, in alphabetical order with commas between them. */
export type PageFilters = ReadonlyMap<string, PageFilter>;

/**
 * The columns of each filter, in the order of an index that ends with the id: pages with one value of each can be read off
 * it. A condition on JSON or an array is an object, and no value.
 */
export function filterColumns(model: Model): (readonly Column[])[] {
  const byName = new Map<string, readonly Column[]>();
  for (const index of model.indexes) {
    const fields = index.slice(0, -1);
    const isOfPages = index.at(-1) === model.id && fields.length > 0 && !fields.includes(model.id);
    const columns = isOfPages ? fields.map((field) => columnOf(model, field)) : [];
    if (isOfPages && columns.every(isCompared) && !byName.has(nameOf(fields))) {
      byName.set(nameOf(fields), columns);
    }
  }
  return [...byName.values()];
}

function isCompared({ kind, isList }: Column): boolean {
  return kind !== 'Json' && isList !== true;
}

export function createPageFilters(model: Model): PageFilters {
  return new Map(
    filterColumns(model).map((columns, index) => {
      const fields = columns.map(({ field }) => field);
      return [nameOf(fields), { index, fields, encoders: columns.map(encoderOf) }];
    }),
  );
}

/** The filter by exactly these fields. */
export function pageFilterOf(
  filters: PageFilters,
  fields: readonly string[],
): PageFilter | undefined {
  return filters.get(nameOf(fields));
}

function nameOf(fields: readonly string[]): string {
  const [field = ''] = fields;
  return fields.length === 1 ? field : fields.toSorted().join();
}
