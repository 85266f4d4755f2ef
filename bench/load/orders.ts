import { hash } from 'node:crypto';

/** The orders that the animals can be listed in besides that of their ids: of one column, and of two in both directions. */
export const ORDERS = { 'by-name': 'name', 'by-category-and-name': '-categoryId,name' } as const;

/** A row of a large table, which `insertRows` makes as well. */
interface Row {
  readonly id: number;
  readonly name: string;
  readonly categoryId: number;
}

export function rowOf(id: number): Row {
  return { id, name: `Animal ${hash('md5', String(id)).slice(0, 8)}`, categoryId: 1 + (id % 5) };
}

/** SQL that inserts the rows up to an id, and needs that as its parameter. */
export const INSERT_ROWS = `
  INSERT INTO pets (id, name, category_id, status)
  SELECT id, 'Animal ' || left(md5(id::text), 8), 1 + id % 5, 'available' FROM generate_series(1, $1::int) AS id
  ON CONFLICT (id) DO UPDATE SET (name, category_id, status) = (excluded.name, excluded.category_id, excluded.status)`;

/** A place in an order, as the gateway writes it, and the peers read it. */
export function cursorOf(work: keyof typeof ORDERS, { id, name, categoryId }: Row): string {
  const values = work === 'by-name' ? [name, id] : [categoryId, name, id];
  return Buffer.from(JSON.stringify([ORDERS[work], ...values.map(String)])).toString('base64url');
}
