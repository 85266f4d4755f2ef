import { batchStatements, type BatchStatements } from '../batch.ts';
import type { DatabaseOrder } from '../database-order.ts';
import { leavingPrefixes, type FindPages } from '../find-pages.ts';
import type { Model } from '../model.ts';
import { indexOrder, type PageShape } from '../page-shape.ts';
import { parametersOf, partsOf, rowsOf } from '../page-statements.ts';
import { statementsByShape } from '../shape-statements.ts';
import type { TableOptions } from '../statement.ts';
import { rawRow, rawRowReader } from './raw-rows.ts';

/** Pages in any order that an index has, each by a statement of its own. */
export function createFindPages(
  model: Model,
  databaseOrder: () => Promise<DatabaseOrder>,
  { read, readPages = read }: TableOptions,
): FindPages {
  const statementsOf = statementsByShape(
    ({ name }: PageShape) => name,
    (shape) => pageStatement(model, shape),
  );
  const rowsIn = rawRowReader(model);
  return leavingPrefixes(databaseOrder, (pages) =>
    Promise.all(
      pages.map(async ({ shape, values, limit }) =>
        rowsIn(await readPages(statementsOf(shape).single, [...values, String(limit)])),
      ),
    ),
  );
}

/**
 * Finds one page by a plain SELECT with its values in place, so that Citus routes it to the shard of a value, or asks each
 * shard for no more rows than the page has. Several pages in one statement would cost it as much as one by one.
 */
function pageStatement(model: Model, shape: PageShape): BatchStatements {
  const parameters = new Map(
    parametersOf(shape).map(({ name: parameter, pgType }, index) => [
      parameter,
      `$${index + 1}::${pgType}`,
    ]),
  );
  const references = {
    referTo: (parameter: string) => parameters.get(parameter) ?? '',
    hasWholeSets: true,
  };
  const isOfSets = shape.equal.some(({ isSet }) => isSet);
  const order = isOfSets ? shape.sorted : indexOrder(shape);
  const parts = partsOf(shape, false, references);
  return batchStatements(`${model.name}.findPages`, () =>
    rowsOf(model, order, parts, references, (alias) => rawRow(model, alias)),
  );
}
