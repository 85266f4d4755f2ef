import type { CreateBatcher } from './batcher.ts';
import { createCreate } from './create.ts';
import { createDeduplicatedCreate, type CreateOnce } from './deduplicated-create.ts';
import { encoderOf, type Encoded } from './encode.ts';
import { createFindByIds, type FindByIds } from './find-by-ids.ts';
import { createFindPages, type FindPages } from './find-pages.ts';
import type { Model, Row } from './model.ts';
import { newRowEncoder, type NewRow } from './new-row.ts';
import { createPageFilters, type PageFilters } from './page-filters.ts';
import { columnOf } from './sql.ts';
import type { RunStatement } from './statement.ts';

type Encode = (value: unknown) => Encoded;

/** What can be done with a model's rows by statements. */
export interface Table {
  readonly model: Model;
  readonly findByIds: FindByIds;
  readonly findPages: FindPages;
  readonly create: (row: NewRow) => Promise<Row>;
  readonly createOnce: CreateOnce;
  readonly encodeId: Encode;
  readonly pageFilters: PageFilters;
  /** The row that a create's `data` describes, or the field that statements can't store. */
  readonly encodeRow: (data: unknown) => NewRow | string;
}

export interface TableOptions {
  /** Runs what reads, and what writes. */
  readonly read: RunStatement;
  readonly write: RunStatement;
  readonly createBatcher: CreateBatcher;
  /** Whether the database has executed a statement, and found fault with what it was given. */
  readonly isFault: (error: unknown) => boolean;
  /** Called for each call of a model that statements have answered. */
  readonly onAnswer?: (model: string, operation: string) => void;
}

export function createTable(model: Model, options: TableOptions): Table {
  const { read, write, createBatcher } = options;
  return {
    model,
    findByIds: createFindByIds(model, read, createBatcher),
    findPages: createFindPages(model, read, createBatcher),
    create: createCreate(model, write, createBatcher),
    createOnce: createDeduplicatedCreate(model, options),
    encodeId: encoderOf(columnOf(model, model.id)),
    pageFilters: createPageFilters(model),
    encodeRow: newRowEncoder(
      model,
      new Map(model.columns.map((column) => [column.field, encoderOf(column)])),
    ),
  };
}
