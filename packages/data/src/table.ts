import { typeOf } from './column-types.ts';
import { comparedColumns } from './conditions.ts';
import { databaseOrderOf } from './database-order.ts';
import { createFindByIds } from './find-by-ids.ts';
import { createFindPages } from './find-pages.ts';
import type { Model } from './model.ts';
import { shapeFinder, type FindShape } from './page-shape.ts';
import { createFindByIds as findShardedByIds } from './sharded/find-by-ids.ts';
import { createFindPages as findShardedPages } from './sharded/find-pages.ts';
import { columnOf } from './sql.ts';
import type { TableOptions } from './statement.ts';
import { changeEncoder, createEncoder } from './write-shape.ts';
import { createWrite } from './write.ts';

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

export function createTable(model: Model, options: TableOptions) {
  const compared = comparedColumns(model);
  const shapeOf: FindShape = shapeFinder(model);
  return {
    model,
    ...readsOf(model, options),
    write: createWrite(model, options),
    encodeId: typeOf(columnOf(model, model.id)).encode,
    comparedColumns: compared,
    shapeOf,
    encodeCreate: createEncoder(model),
    encodeChange: changeEncoder(model, compared),
  };
}
