import { createChange } from './change.ts';
import { createCreate } from './create.ts';
import { createDeduplicatedChange } from './deduplicated-change.ts';
import { createDeduplicatedCreate } from './deduplicated-create.ts';
import { typeOf } from './column-types.ts';
import { comparedColumns, sortedFields } from './compared-columns.ts';
import { databaseOrderOf } from './database-order.ts';
import { changeEncoder } from './encode-change.ts';
import { createFindByIds } from './find-by-ids.ts';
import { createFindPages } from './find-pages.ts';
import type { Model } from './model.ts';
import { newRowEncoder } from './new-row.ts';
import { shapeFinder, type FindShape } from './page-shape.ts';
import { createFindByIds as findShardedByIds } from './sharded/find-by-ids.ts';
import { createFindPages as findShardedPages } from './sharded/find-pages.ts';
import { columnOf } from './sql.ts';
import type { TableOptions } from './statement.ts';

/** What can be done with a model's rows by statements. */
export interface Table extends ReturnType<typeof createTable> {
  /** All, by the names of their models. */
  readonly tables: ReadonlyMap<string, Table>;
}

function readsOf(model: Model, options: TableOptions) {
  const databaseOrder = databaseOrderOf(model, options.read);
  const [byIds, pages] =
    options.isSharded === true
      ? [findShardedByIds, findShardedPages]
      : [createFindByIds, createFindPages];
  return { findByIds: byIds(model, options), findPages: pages(model, databaseOrder, options) };
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
  const compared = comparedColumns(model);
  const shapeOf: FindShape = shapeFinder(model);
  let audited: Writes | undefined;
  return {
    model,
    ...readsOf(model, options),
    ...writesOf(model, options),
    /** Those that note each row in the audit log, in its statement. */
    audited: (): Writes => (audited ??= writesOf(model, options, 'audited')),
    encodeId: typeOf(columnOf(model, model.id)).encode,
    comparedColumns: compared,
    sortedFields: {
      asc: sortedFields(model, compared, 'asc'),
      desc: sortedFields(model, compared, 'desc'),
    },
    shapeOf,
    encodeRow: newRowEncoder(model),
    encodeChange: changeEncoder(model),
  };
}
