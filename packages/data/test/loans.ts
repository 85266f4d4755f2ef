import { rowsBetween } from '../src/conditions.ts';
import type { Order, Row } from '../src/model.ts';
import { Level, Prisma } from './generated/client.ts';

/** Columns to order rows by, and the order of each. The last is the id. */
export type Orders = readonly (readonly [field: string, order: Order])[];

const TITLES = ['', 'Mio', 'Mio!', 'mio', 'Mip', 'é', 'e', '😀', '\uE000', '\uD7FF', 'Mi', 'M_o%'];
const DAY = 86_400_000;

/** Generates a loan from its number. Columns have few distinct values, so many loans share several of them. */
export function loanOf(number: number, authorId: number): Prisma.LoanCreateManyInput {
  let salt = 0;
  const pick = <Value>(first: Value, ...others: readonly Value[]): Value => {
    salt += 1;
    const place = (Math.imul(number * 31 + salt, 0x9e3779b1) >>> 9) % (others.length + 1);
    return others[place - 1] ?? first;
  };
  return {
    status: pick('available', 'pending', 'sold', ''),
    level: pick<Level>(Level.low, Level.high),
    category: pick(1, 2, null),
    flag: pick(false, true),
    title: pick('Mio 2', ...TITLES),
    due: new Date(pick(0, 1, 999, DAY, -DAY)),
    at: new Date(pick(0, -1, 40 * DAY)),
    day: new Date(pick(0, -DAY, DAY)),
    price: new Prisma.Decimal(pick('0', '-1.5', '1e-20', '12345678901234567890')),
    weight: pick(0, -1e300, -0.5, 1e-9),
    count: pick(0, -32768, 7),
    serial: BigInt(number) * 1_000_000_007n * pick(1n, -1n),
    code: `${pick('A', '0', 'f')}0000000-0000-0000-0000-${String(number % 9).padStart(12, '0')}`,
    holder: pick('x', 'X', 'y\u{10FFFF}', ''),
    authorId,
  };
}

/** Parses an order in SQL notation, such as `due desc, title, id`. */
export function ordersOf(text: string): Orders {
  return text.split(', ').map((column) => {
    const [field = '', order] = column.split(' ');
    return [field, order === 'desc' ? 'desc' : 'asc'];
  });
}

export function orderByOf(orders: Orders): Record<string, Order>[] {
  return orders.map(([field, order]) => ({ [field]: order }));
}

/** Prisma's condition for the rows after the row `after` and before the row `until`. */
export function betweenRows(orders: Orders, after?: Row, until?: Row) {
  const columns = orders.map(([field, order]) => ({ field, order }));
  const placeOf = (row?: Row) => row && orders.map(([field]) => row[field]);
  return rowsBetween(columns, { after: placeOf(after), until: placeOf(until) });
}
