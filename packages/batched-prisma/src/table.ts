import { createChange } from './change.ts';
import { createCreate } from './create.ts';
import { createDeduplicatedChange } from './deduplicated-change.ts';
import { createDeduplicatedCreate } from './deduplicated-create.ts';
import { codecOf } from './codecs.ts';
import { comparedColumns } from './compared-columns.ts';
import { databaseOrderOf } from './database-order.ts';
import { changeEncoder } from './encode-change.ts';
import { createFindByIds } from './find-by-ids.ts';
import { createFindOrderedPages } from './find-ordered-pages.ts';
import { createFindPages } from './find-pages.ts';
import type { Model } from './model.ts';
import { newRowEncoder } from './new-row.ts';
import { createPageFilters } from './page-filters.ts';
import { columnOf } from './sql.ts';
import type { TableOptions } from './statement.ts';

/** What can be done with a model's rows by statements. */
export interface Table extends ReturnType<typeof createTable> {
  /** All, by the names of their models. */
  readonly tables: ReadonlyMap<string, Table>;
}

export function createTable(model: Model, options: TableOptions) {
  const pageFilters = createPageFilters(model);
  const databaseOrder = databaseOrderOf(model, options.read);
  return {
    model,
    findByIds: createFindByIds(model, options),
    findPages: createFindPages(model, pageFilters, options),
    findOrderedPages: createFindOrderedPages(model, databaseOrder, options),
    create: createCreate(model, options),
    change: createChange(model, options),
    createOnce: createDeduplicatedCreate(model, options),
    changeOnce: createDeduplicatedChange(model, options),
    encodeId: codecOf(columnOf(model, model.id)).encode,
    pageFilters,
    comparedColumns: comparedColumns(model),
    encodeRow: newRowEncoder(model),
    encodeChange: changeEncoder(model),
  };
}
