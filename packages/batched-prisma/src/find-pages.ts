import type { CreateBatcher } from '@gateway/coalescing/batcher';
import { batchLists } from './batch.ts';
import type { Model, Order, Row } from './model.ts';
import type { PageFilter, PageFilters } from './page-filters.ts';
import { findPage, findPages, type PageKind } from './page-statements.ts';
import { rowDecoder } from './rows.ts';
import { firstId } from './sql.ts';
import type { Parameter, RunStatement, TextRow } from './statement.ts';

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
export type FindPages = (pages: readonly Page[]) => Promise<readonly Row[][]>;

/** Pages of the rows in the order of their ids, or against it; the requests of a batch in one statement. */
export function createFindPages(
  model: Model,
  pageFilters: PageFilters,
  run: RunStatement,
  createBatcher: CreateBatcher,
): FindPages {
  const filters = [...pageFilters.values()];
  const ofKind = (kind: PageKind): FindPages =>
    batchLists(createBatcher, findPagesOf(kind, model, filters, run));
  const ofOrder = (order: Order): FindPages => {
    const unbounded = ofKind({ order, isBounded: false });
    const bounded = ofKind({ order, isBounded: true });
    return (pages) => (pages[0]?.until === undefined ? unbounded : bounded)(pages);
  };
  const find = { asc: ofOrder('asc'), desc: ofOrder('desc') };
  return (pages) => find[pages[0]?.order ?? 'asc'](pages);
}

function findPagesOf(
  kind: PageKind,
  model: Model,
  filters: readonly PageFilter[],
  run: RunStatement,
): FindPages {
  const first = firstId(model, kind.order) ?? '';
  const several = findPages(model, filters, kind);
  const singles = filters.map((filter) => findPage(model, filter, kind));
  const decode = rowDecoder(model);

  function findTexts(pages: readonly Page[]): Promise<readonly TextRow[]> {
    const [page] = pages;
    const single = pages.length === 1 ? singles[page?.filter.index ?? 0] : undefined;
    if (page !== undefined && single !== undefined) {
      const { values, after, until, limit } = page;
      const parameters: Parameter[] = [after ?? first, after ?? null, String(limit), ...values];
      if (until !== undefined) {
        parameters.push(until);
      }
      return run(single, parameters);
    }
    const parameters: Parameter[] = [
      pages.map(({ after }) => after ?? first),
      pages.map(({ after }) => after ?? null),
      pages.map(({ limit }) => String(limit)),
    ];
    for (const { index, columns } of filters) {
      for (const place of columns.keys()) {
        parameters.push(
          pages.map(({ filter, values }) =>
            filter.index === index ? (values[place] ?? null) : null,
          ),
        );
      }
    }
    if (kind.isBounded) {
      parameters.push(pages.map(({ until }) => until ?? null));
    }
    return run(several, parameters);
  }

  return async (pages) => {
    const found = pages.map((): Row[] => []);
    for (const [number, ...lists] of await findTexts(pages)) {
      found[Number(number) - 1] = decode(lists);
    }
    return found;
  };
}
