import type { Index, Model, Order } from './model.ts';

interface Sorted {
  readonly field: string;
  readonly order: Order;
}

/**
 * Finds an index that begins with these fields, in any order, and goes on with the sorted ones.
 *
 * @returns the fields in its order, with the order of each when it is read as the sorted ones are: as it is, or turned round
 */
export function leadingFields<Field>(
  { orderedIndexes }: Model,
  fields: ReadonlyMap<string, Field>,
  sorted: readonly Sorted[],
): readonly (Field & Sorted)[] | undefined {
  for (const index of orderedIndexes) {
    const isTurned = isTurnedFor(index, sorted, fields.size);
    const leading = index.fields.slice(0, fields.size).flatMap(({ field, order }) => {
      const known = fields.get(field);
      return known === undefined
        ? []
        : { ...known, field, order: isTurned ? opposite(order) : order };
    });
    if (isTurned !== undefined && leading.length === fields.size) {
      return leading;
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
