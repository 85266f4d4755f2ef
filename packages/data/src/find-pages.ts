import { batchLists, runBatch } from './batch.ts';
import type { Model, Order } from './model.ts';
import type { PageFilter, PageFilters } from './page-filters.ts';
import { findPage, findPages, type PageKind } from './page-statements.ts';
import { rowReader, type ListedRows } from './listed-rows.ts';
import { firstId } from './column-types.ts';
import type { TableOptions } from './statement.ts';

export interface Page {
  /** Which columns it is filtered by, and their values. */
  readonly filter: PageFilter;
  readonly values: readonly string[];
  readonly order: Order;
  /** Only rows behind this id. */
  readonly after: string | undefined;
  /** Only rows before this id. */
  readonly until: string | undefined;
  readonly limit: number;
}

/** Pages of one order, all with `until` or all without. */
export type FindPages = (pages: readonly Page[]) => Promise<readonly ListedRows[]>;

/** Pages of the rows in the order of their ids, or against it; the requests of a batch in one statement. */
export function createFindPages(
  model: Model,
  pageFilters: PageFilters,
  options: TableOptions,
): FindPages {
  const filters = [...pageFilters.values()];
  const ofOrder = (order: Order): FindPages => {
    const unbounded = findPagesOf({ order, isBounded: false }, model, filters, options);
    const bounded = findPagesOf({ order, isBounded: true }, model, filters, options);
    return (pages) => (pages[0]?.until === undefined ? unbounded : bounded)(pages);
  };
  const find = { asc: ofOrder('asc'), desc: ofOrder('desc') };
  return (pages) => find[pages[0]?.order ?? 'asc'](pages);
}

function findPagesOf(
  kind: PageKind,
  model: Model,
  filters: readonly PageFilter[],
  { read, createBatcher }: TableOptions,
): FindPages {
  const first = firstId(model, kind.order) ?? '';
  const several = findPages(model, filters, kind);
  const singles = new Map(filters.map((filter) => [filter, findPage(model, filter, kind)]));
  const rowsIn = rowReader(model);
  return batchLists(createBatcher, async (pages) => {
    const only = pages.length === 1 ? pages[0]?.filter : undefined;
    const parameters = [
      pages.map(({ after }) => after ?? first),
      pages.map(({ after }) => after ?? null),
      pages.map(({ limit }) => String(limit)),
    ];
    for (const filter of only === undefined ? filters : [only]) {
      for (const place of filter.columns.keys()) {
        parameters.push(
          pages.map((page) => (page.filter === filter ? (page.values[place] ?? null) : null)),
        );
      }
    }
    if (kind.isBounded) {
      parameters.push(pages.map(({ until }) => until ?? null));
    }
    const single = (only && singles.get(only)) ?? several;
    const found = pages.map(() => rowsIn([]));
    for (const [number, ...lists] of await runBatch(read, { several, single }, parameters)) {
      found[Number(number) - 1] = rowsIn(lists);
    }
    return found;
  });
}
