import type { FindPages } from '../find-pages.ts';
import type { Model } from '../model.ts';
import { pageShape, type PageShape } from '../page-shape.ts';
import type { PageFilters } from '../page-filters.ts';
import { statementsByShape } from '../shape-statements.ts';
import { columnOf } from '../sql.ts';
import type { TableOptions } from '../statement.ts';
import { pageReader, pageStatements } from './page-statement.ts';

/** Pages of the rows in the order of their ids, or against it, each by a statement of its own. */
export function createFindPages(
  model: Model,
  _pageFilters: PageFilters,
  { read }: TableOptions,
): FindPages {
  const id = columnOf(model, model.id);
  const statementsOf = statementsByShape(
    ({ name }: PageShape) => name,
    (shape) => {
      const isDescending = shape.sorted[0]?.order === 'desc';
      return pageStatements(model, `findPages${isDescending ? 'Descending' : ''}`, shape);
    },
  );
  const readPage = pageReader(model, read);
  return (pages) =>
    Promise.all(
      pages.map(({ filter, values, order, after, until, limit }) => {
        const shape = pageShape({
          equal: filter.columns.map((column) => ({ column, order, isSet: false })),
          sorted: [{ column: id, order }],
          range: [],
          hasAfter: after !== undefined,
          hasUntil: until !== undefined,
        });
        const ids = [after, until].filter((bound) => bound !== undefined);
        return readPage(statementsOf(shape), [...values, ...ids], limit);
      }),
    );
}
