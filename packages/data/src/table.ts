import { createChange } from './change.ts';
import { createCreate } from './create.ts';
import { createDeduplicatedChange } from './deduplicated-change.ts';
import { createDeduplicatedCreate } from './deduplicated-create.ts';
import { typeOf } from './column-types.ts';
import { comparedColumns } from './compared-columns.ts';
import { databaseOrderOf } from './database-order.ts';
import { changeEncoder } from './encode-change.ts';
import { createFindByIds } from './find-by-ids.ts';
import { createFindOrderedPages } from './find-ordered-pages.ts';
import { createFindPages } from './find-pages.ts';
import type { Model } from './model.ts';
import { newRowEncoder } from './new-row.ts';
import { createPageFilters, type PageFilters } from './page-filters.ts';
import { createFindByIds as findShardedByIds } from './sharded/find-by-ids.ts';
import { createFindOrderedPages as findShardedOrderedPages } from './sharded/find-ordered-pages.ts';
import { createFindPages as findShardedPages } from './sharded/find-pages.ts';
import { columnOf } from './sql.ts';
import type { TableOptions } from './statement.ts';

/** What can be done with a model's rows by statements. */
export interface Table extends ReturnType<typeof createTable> {
  /** All, by the names of their models. */
  readonly tables: ReadonlyMap<string, Table>;
}

function readsOf(model: Model, pageFilters: PageFilters, options: TableOptions) {
  const databaseOrder = databaseOrderOf(model, options.read);
  const [byIds, pages, orderedPages] =
    options.isSharded === true
      ? [findShardedByIds, findShardedPages, findShardedOrderedPages]
      : [createFindByIds, createFindPages, createFindOrderedPages];
  return {
    findByIds: byIds(model, options),
    findPages: pages(model, pageFilters, options),
    findOrderedPages: orderedPages(model, databaseOrder, options),
  };
}

export type Writes = ReturnType<typeof writesOf>;

function writesOf(model: Model, options: TableOptions, audit?: 'audited') {
  return {
    create: createCreate(model, options, audit),
    change: createChange(model, options, audit),
    createOnce: createDeduplicatedCreate(model, options, audit),
    changeOnce: createDeduplicatedChange(model, options, audit),
  };
}

export function createTable(model: Model, options: TableOptions) {
  const pageFilters = createPageFilters(model);
  let audited: Writes | undefined;
  return {
    model,
    ...readsOf(model, pageFilters, options),
    ...writesOf(model, options),
    /** Those that note each row in the audit log, in its statement. */
    audited: (): Writes => (audited ??= writesOf(model, options, 'audited')),
    encodeId: typeOf(columnOf(model, model.id)).encode,
    pageFilters,
    comparedColumns: comparedColumns(model),
    encodeRow: newRowEncoder(model),
    encodeChange: changeEncoder(model),
  };
}
