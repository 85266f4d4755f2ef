import { batchStatements, type BatchStatements } from '../batch.ts';
import type { Model } from '../model.ts';
import { parametersOf, rowsOf } from '../ordered-statements.ts';
import { partsOf } from '../page-parts.ts';
import { indexOrder, type PageShape } from '../page-shape.ts';
import { rowReader, type ListedRows } from '../listed-rows.ts';
import type { RunStatement } from '../statement.ts';
import { rawRow, rawRowsReader } from './raw-rows.ts';

/**
 * Finds one page by a plain SELECT with its values in place, so that Citus routes it to the shard of a value, or asks each
 * shard for no more rows than the page has. Several pages in one statement would cost it as much as one by one.
 *
 * @param name of the statement, in the model's
 */
export function pageStatements(model: Model, name: string, shape: PageShape): BatchStatements {
  const parameters = new Map(
    parametersOf(shape).map(({ name: parameter, pgType }, index) => [
      parameter,
      `$${index + 1}::${pgType}`,
    ]),
  );
  const references = {
    valueOf: (parameter: string) => parameters.get(parameter) ?? '',
    hasWholeSets: true,
  };
  const isOfSets = shape.equal.some(({ isSet }) => isSet);
  const order = isOfSets ? shape.sorted : indexOrder(shape);
  const parts = partsOf(shape, false, references);
  return batchStatements(`${model.name}.${name}`, () =>
    rowsOf(model, order, parts, references, (alias) => rawRow(model, alias)),
  );
}

/** Runs the statement of a page. */
export function pageReader(
  model: Model,
  read: RunStatement,
): (statements: BatchStatements, values: readonly string[], limit: number) => Promise<ListedRows> {
  const listsOf = rawRowsReader(model);
  const rowsIn = rowReader(model);
  return async ({ single }, values, limit) =>
    rowsIn(listsOf(await read(single, [...values, String(limit)])));
}
