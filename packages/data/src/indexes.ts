import type { Index, Model, Order } from './model.ts';

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
