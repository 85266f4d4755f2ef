import type { CreateBatcher } from './batcher.ts';
import type { Model, Order, Row } from './model.ts';
import { filterColumns, findPage, findPages } from './page-statements.ts';
import { rowDecoder } from './rows.ts';
import { firstId } from './sql.ts';
import type { RunStatement, TextRow } from './statement.ts';

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

/** Pages of the rows in the order of their ids, or against it; the requests of a batch in one statement. */
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
  const several = findPages(model, filters, order);
  const single = findPage(model, undefined, order);
  const singleByFilter = filters.map((filter) => findPage(model, filter, order));
  const decode = rowDecoder(model);

  function findAll(pages: readonly Page[]): Promise<readonly TextRow[]> {
    const [page] = pages;
    if (page !== undefined && pages.length === 1) {
      const { filter = [], after, limit } = page;
      const [index = -1, ...value] = filter;
      const bounds = [after ?? first, after ?? null, String(limit)];
      return run(singleByFilter[index] ?? single, [...bounds, ...value]);
    }
    return run(several, [
      pages.map(({ after }) => after ?? first),
      pages.map(({ after }) => after ?? null),
      pages.map(({ limit }) => String(limit)),
      ...filters.map((_column, index) =>
        pages.map(({ filter }) => (filter?.[0] === index ? filter[1] : null)),
      ),
    ]);
  }

  return createBatcher(async (requests) => {
    const pages = requests.flatMap(({ input }) => input);
    const found = pages.map((): Row[] => []);
    for (const [number, ...lists] of await findAll(pages)) {
      found[Number(number) - 1] = decode(lists);
    }
    let start = 0;
    for (const { input, resolve } of requests) {
      resolve(found.slice(start, start + input.length));
      start += input.length;
    }
  });
}
