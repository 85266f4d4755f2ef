import { encoderOf, type Encoded } from './column-types.ts';
import { isCompared } from './compared-columns.ts';
import { ascendingFields } from './indexes.ts';
import type { Column, Model } from './model.ts';
import { columnOf } from './sql.ts';

/** What pages can be filtered by: one value of each column of an index that ends with the id, or nothing. */
export interface PageFilter {
  /** Its place among the model's filters. */
  readonly index: number;
  /** In the index's order. */
  readonly columns: readonly Column[];
  readonly encoders: readonly ((value: unknown) => Encoded)[];
}

/** By the names of their fields, in alphabetical order with commas between them. */
export type PageFilters = ReadonlyMap<string, PageFilter>;

/** The filters of a model, that by nothing first. A condition on JSON or an array is an object, and no value. */
export function createPageFilters(model: Model): PageFilters {
  const filters = new Map<string, PageFilter>();
  for (const index of [[model.id], ...model.indexes.map(ascendingFields)]) {
    const fields = index ?? [];
    const columns = fields.slice(0, -1).map((field) => columnOf(model, field));
    const name = nameOf(columns.map(({ field }) => field));
    if (fields.at(-1) === model.id && columns.every(isCompared) && !filters.has(name)) {
      filters.set(name, { index: filters.size, columns, encoders: columns.map(encoderOf) });
    }
  }
  return filters;
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
  return fields.length <= 1 ? field : fields.toSorted().join();
}
