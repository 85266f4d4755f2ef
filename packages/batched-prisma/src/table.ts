import { createCreate } from './create.ts';
import { createDeduplicatedCreate, type CreateOnce } from './deduplicated-create.ts';
import { encoderOf, type Encoded } from './encode.ts';
import { createFindByIds, type FindByIds } from './find-by-ids.ts';
import { createFindPages, type FindPages } from './find-pages.ts';
import type { Model, Row } from './model.ts';
import { newRowEncoder, type NewRow } from './new-row.ts';
import { createPageFilters, type PageFilters } from './page-filters.ts';
import { columnOf } from './sql.ts';
import type { TableOptions } from './table-options.ts';

/** What can be done with a model's rows by statements. */
export interface Table {
  readonly model: Model;
  /** All, by the names of their models. */
  readonly tables: ReadonlyMap<string, Table>;
  readonly findByIds: FindByIds;
  readonly findPages: FindPages;
  readonly create: (row: NewRow) => Promise<Row>;
  readonly createOnce: CreateOnce;
  readonly encodeId: (value: unknown) => Encoded;
  readonly pageFilters: PageFilters;
  /** The row that a create's `data` describes, or the field that statements can't store. */
  readonly encodeRow: (data: unknown) => NewRow | string;
}

export function createTable(
  model: Model,
  tables: ReadonlyMap<string, Table>,
  options: TableOptions,
): Table {
  const { read, write, createBatcher } = options;
  const pageFilters = createPageFilters(model);
  return {
    model,
    tables,
    findByIds: createFindByIds(model, read, createBatcher),
    findPages: createFindPages(model, pageFilters, read, createBatcher),
    create: createCreate(model, write, createBatcher),
    createOnce: createDeduplicatedCreate(model, options),
    encodeId: encoderOf(columnOf(model, model.id)),
    pageFilters,
    encodeRow: newRowEncoder(model),
  };
}
