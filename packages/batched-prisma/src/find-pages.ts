import type { CreateBatcher } from '@gateway/coalescing/batcher';
import type { Model, Order, Row } from './model.ts';
import { filterColumns, type PageFilter } from './page-filters.ts';
import { findPage, findPages, type PageKind } from './page-statements.ts';
import { rowDecoder } from './rows.ts';
import { firstId } from './sql.ts';
import type { Parameter, RunStatement, TextRow } from './statement.ts';

export interface Page {
  /** Which columns it is filtered by, undefined for all rows, and their values. */
  readonly filter: PageFilter | undefined;
  readonly values: readonly string[];
  readonly order: Order;
  /** Only rows behind this id. */
  readonly after: string | undefined;
  /** Only rows before this id. */
  readonly until: string | undefined;
  readonly limit: number;
}

/** Pages of one order, all with `until` or all without. */
export type FindPages = (pages: readonly Page[]) => Promise<readonly Row[][]>;

/** Pages of the rows in the order of their ids, or against it; the requests of a batch in one statement. */
export function createFindPages(
  model: Model,
  run: RunStatement,
  createBatcher: CreateBatcher,
): FindPages {
  const create = (order: Order, isBounded: boolean) =>
    createFindPagesOf({ order, isBounded }, model, run, createBatcher);
  const ascending = create('asc', false);
  const descending = create('desc', false);
  const boundedAscending = create('asc', true);
  const boundedDescending = create('desc', true);
  return (pages) => {
    const isDescending = pages[0]?.order === 'desc';
    if (pages[0]?.until === undefined) {
      return (isDescending ? descending : ascending)(pages);
    }
    return (isDescending ? boundedDescending : boundedAscending)(pages);
  };
}

function createFindPagesOf(
  kind: PageKind,
  model: Model,
  run: RunStatement,
  createBatcher: CreateBatcher,
): FindPages {
  const first = firstId(model, kind.order) ?? '';
  const filters = filterColumns(model);
  const several = findPages(model, filters, kind);
  const single = findPage(model, filters, -1, kind);
  const singleByFilter = filters.map((_filter, index) => findPage(model, filters, index, kind));
  const decode = rowDecoder(model);

  function findAll(pages: readonly Page[]): Promise<readonly TextRow[]> {
    const [page] = pages;
    if (page !== undefined && pages.length === 1) {
      const { filter, values, after, until, limit } = page;
      const parameters: Parameter[] = [after ?? first, after ?? null, String(limit), ...values];
      if (until !== undefined) {
        parameters.push(until);
      }
      return run(singleByFilter[filter?.index ?? -1] ?? single, parameters);
    }
    const parameters: Parameter[] = [
      pages.map(({ after }) => after ?? first),
      pages.map(({ after }) => after ?? null),
      pages.map(({ limit }) => String(limit)),
    ];
    for (const [index, columns] of filters.entries()) {
      for (const place of columns.keys()) {
        parameters.push(
          pages.map(({ filter, values }) =>
            filter?.index === index ? (values[place] ?? null) : null,
          ),
        );
      }
    }
    if (kind.isBounded) {
      parameters.push(pages.map(({ until }) => until ?? null));
    }
    return run(several, parameters);
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
