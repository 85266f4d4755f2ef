import type { DatabaseOrder } from '../database-order.ts';
import { leavingPrefixes, type FindOrderedPages } from '../find-ordered-pages.ts';
import type { Model } from '../model.ts';
import type { PageShape } from '../page-shape.ts';
import { statementsByShape } from '../shape-statements.ts';
import type { TableOptions } from '../statement.ts';
import { pageReader, pageStatements } from './page-statement.ts';

/** Pages in any order that an index has, each by a statement of its own. */
export function createFindOrderedPages(
  model: Model,
  databaseOrder: () => Promise<DatabaseOrder>,
  { read }: TableOptions,
): FindOrderedPages {
  const statementsOf = statementsByShape(
    ({ name }: PageShape) => name,
    (shape) => pageStatements(model, 'findOrderedPages', shape),
  );
  const readPage = pageReader(model, read);
  return leavingPrefixes(databaseOrder, (pages) =>
    Promise.all(
      pages.map(({ shape, values, limit }) => readPage(statementsOf(shape), values, limit)),
    ),
  );
}
