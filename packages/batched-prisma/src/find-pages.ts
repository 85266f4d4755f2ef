import type { CreateBatcher } from './batcher.ts';
import type { Model, Order, Row } from './model.ts';
import { filterColumns, findPage, findPages } from './page-statements.ts';
import { rowDecoder } from './rows.ts';
import { firstId } from './sql.ts';
import type { RunStatement } from './statement.ts';

export interface Page {
  /** The index of the column that is filtered by, and its value; undefined for all rows. */
  readonly filter: readonly [index: number, value: string] | undefined;
  readonly order: Order;
  /** Only rows behind this id. */
  readonly after: string | undefined;
  readonly limit: number;
}

/** Pages of one order. */
export type FindPages = (pages: readonly Page[]) => Promise<readonly Row[][]>;

/**
 * Pages of the rows in the order of their ids, or against it; the requests of a batch in one statement. A single page has
 * its own, which takes the database less.
 */
export function createFindPages(
  model: Model,
  run: RunStatement,
  createBatcher: CreateBatcher,
): FindPages {
  const ascending = createFindPagesIn('asc', model, run, createBatcher);
  const descending = createFindPagesIn('desc', model, run, createBatcher);
  return (pages) => (pages[0]?.order === 'desc' ? descending : ascending)(pages);
}

function createFindPagesIn(
  order: Order,
  model: Model,
  run: RunStatement,
  createBatcher: CreateBatcher,
): FindPages {
  const first = firstId(model, order) ?? '';
  const filters = filterColumns(model);
  const statement = findPages(model, filters, order);
  const ofOne = findPage(model, undefined, order);
  const ofOneByFilter = filters.map((filter) => findPage(model, filter, order));
  const decode = rowDecoder(model);
  return createBatcher(async (requests) => {
    const pages = requests.flatMap(({ input }) => input);
    const [page] = pages;
    if (page !== undefined && pages.length === 1) {
      const { filter: [index, value] = [], after, limit } = page;
      const bounds = [after ?? first, after ?? null, String(limit)];
      const one = index === undefined ? ofOne : (ofOneByFilter[index] ?? ofOne);
      const [lists = []] = await run(one, value === undefined ? bounds : [...bounds, value]);
      const rows = decode(lists);
      for (const { input, resolve } of requests) {
        resolve(input.length === 0 ? [] : [rows]);
      }
      return;
    }
    const rows = await run(statement, [
      pages.map(({ after }) => after ?? first),
      pages.map(({ after }) => after ?? null),
      pages.map(({ limit }) => String(limit)),
      ...filters.map((_column, index) =>
        pages.map(({ filter }) => (filter?.[0] === index ? filter[1] : null)),
      ),
    ]);
    const found = pages.map((): Row[] => []);
    for (const [number, ...lists] of rows) {
      found[Number(number) - 1] = decode(lists);
    }
    let start = 0;
    for (const { input, resolve } of requests) {
      resolve(found.slice(start, start + input.length));
      start += input.length;
    }
  });
}
