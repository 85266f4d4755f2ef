import { hash } from 'node:crypto';
import { leadingFields, type Models } from '@store-gateway/data';
import type { OrderedBy } from './list-order.ts';

/** A model, as the generator of batched-prisma writes it. */
export type IndexedModel = Pick<
  Models[string],
  'name' | 'id' | 'columns' | 'indexes' | 'relations'
>;

/** Columns that a list is always filtered by, and those that a client may filter it by. */
export interface Filters {
  readonly always: readonly string[];
  readonly optional: readonly string[];
}

/** Of more, a list has more filters than anybody makes indexes for. */
const MAX_NAMED = 4;

/**
 * The indexes that a list lacks, as Prisma writes them: for each combination of its filters, one on these columns, in
 * whatever order, and then those of an order, the last of which is the id. Pages are read off it, forwards or backwards.
 */
export function missingIndexes(
  model: IndexedModel,
  { always, optional }: Filters,
  orders: readonly (readonly OrderedBy[])[],
): string[] {
  const missing = new Set<string>();
  for (const chosen of combinations(optional)) {
    const fields = always.concat(chosen);
    if (fields.includes(model.id)) {
      // The primary key finds the few rows that there are.
      continue;
    }
    // All rows in the order of their ids are read off the primary key.
    const byId = fields.length === 0 ? [] : [[ascending(model.id)]];
    for (const order of [...byId, ...orders]) {
      const others = order.filter(({ field }) => !fields.includes(field));
      if (leadingFields(model, new Set(fields), others) === undefined) {
        missing.add(written(model, [...fields.map(ascending), ...turned(others)]));
      }
    }
    if (missing.size >= MAX_NAMED) {
      break;
    }
  }
  return [...missing].slice(0, MAX_NAMED);
}

/** The indexes that a search lacks. */
export function missingSearchIndexes(model: IndexedModel, columns: readonly string[]): string[] {
  return columns
    .filter(
      (column) =>
        !model.indexes.some(
          ({ type, fields: [first, ...others] }) =>
            type === 'Gin' &&
            first?.field === column &&
            first.ops === TRIGRAMS &&
            others.length === 0,
        ),
    )
    .map((column) => `@@index([${column}(ops: raw("${TRIGRAMS}"))], type: Gin)`);
}

/** The operators with which an index finds parts of texts (pg_trgm). */
const TRIGRAMS = 'gin_trgm_ops';

function ascending(field: string): OrderedBy {
  return { field, order: 'asc' };
}

/** The order or its reverse, whichever has more columns ascending: an index is read both ways. */
function turned(order: readonly OrderedBy[]): readonly OrderedBy[] {
  const descending = order.filter((each) => each.order === 'desc');
  return descending.length * 2 <= order.length
    ? order
    : order.map(({ field, order: own }) => ({ field, order: own === 'asc' ? 'desc' : 'asc' }));
}

function written(model: IndexedModel, columns: readonly OrderedBy[]): string {
  const names = columns.map(({ field, order }) =>
    order === 'asc' ? field : `${field}(sort: Desc)`,
  );
  return `@@index([${names.join(', ')}]${mapOf(model, names)})`;
}

/** Characters of an index's name that Prisma doesn't cut off, with room for names of columns that differ from their fields'. */
const MAX_NAME_LENGTH = 50;

/** A name for an index that would have the same as another one, cut off. */
function mapOf({ name: model }: IndexedModel, columns: readonly string[]): string {
  const name = [model, ...columns].join('_');
  return name.length <= MAX_NAME_LENGTH
    ? ''
    : `, map: "${model.slice(0, 40)}_${hash('sha256', name, 'hex').slice(0, 8)}_idx"`;
}

/** All subsets, small ones of the first elements first. */
function* combinations(names: readonly string[]): Generator<readonly string[]> {
  for (let chosen = 0; chosen < 2 ** names.length; chosen += 1) {
    yield names.filter((_name, place) => Math.floor(chosen / 2 ** place) % 2 === 1);
  }
}
