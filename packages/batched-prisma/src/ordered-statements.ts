import { batchStatements, type BatchStatements } from './batch.ts';
import type { Model } from './model.ts';
import { partsOf } from './page-parts.ts';
import { indexOrder, type PageShape, type SortedColumn } from './page-shape.ts';
import { parameterRows, valueOf, type Parameter } from './parameters.ts';
import { rowsAsLists } from './rows.ts';
import { quoted } from './sql.ts';

const LIMIT = 'LIMIT parameters."limit"';

/**
 * Finds ordered pages. Each is read off one index, in parts that this has in one piece and in order: of each combination of
 * sets' values, and of each way to be behind a page's first row and before its last. No part has more rows than the page.
 *
 * @param keepsOrder whether the database reads an index in order, too, where a column other than the first is compared with
 *   an array
 */
export function findOrderedPages(
  model: Model,
  shape: PageShape,
  keepsOrder: boolean,
): BatchStatements {
  const { sorted } = shape;
  const equal = shape.equal.map(({ column: { pgType }, isSet }, place): Parameter => {
    const name = `equal_${place}`;
    return isSet ? { name, pgType: `${pgType}[]`, isList: true } : { name, pgType };
  });
  const sets = equal.flatMap((parameter, place) => {
    const values = valueOf(parameter, `parameters.${parameter.name}`);
    return parameter.isList === true
      ? `
        (SELECT DISTINCT value FROM unnest(${values}) AS given (value)) AS set_${place}`
      : [];
  });
  const rows =
    sets.length === 0
      ? rowsOf(model, shape, keepsOrder)
      : `
      SELECT part.* FROM ${sets.join(' CROSS JOIN ')}
      CROSS JOIN LATERAL (${rowsOf(model, shape, keepsOrder)}
      ) AS part
      ORDER BY ${sorting(sorted, 'part')} ${LIMIT}`;
  return batchStatements(
    `${model.name}.findOrderedPages`,
    (size) => `
    SELECT found.*
    FROM ${parameterRows([...equal, ...otherParameters(shape)], size)}
    CROSS JOIN LATERAL (
      SELECT parameters.number, ${rowsAsLists(model, 'listed')}
      FROM (${rows}
      ) AS listed
    ) AS found`,
  );
}

function otherParameters({ sorted, range, hasAfter, hasUntil }: PageShape): Parameter[] {
  const [first] = sorted;
  const ofRow = (side: string) =>
    sorted.map(({ column }, place) => ({ name: `${side}_${place}`, pgType: column.pgType }));
  return [
    ...range.map((_, place) => ({ name: `range_${place}`, pgType: first?.column.pgType ?? '' })),
    ...(hasAfter ? ofRow('after') : []),
    ...(hasUntil ? ofRow('until') : []),
    { name: '"limit"', pgType: 'int' },
  ];
}

/** The rows of one combination of values. PostgreSQL merges parts by the order of all of the index's columns only. */
function rowsOf(model: Model, shape: PageShape, keepsOrder: boolean): string {
  const columns = model.columns.map(({ column }) => `stored.${quoted(column)}`).join(', ');
  const by = indexOrder(shape);
  const parts = partsOf(shape, keepsOrder).map(
    (conditions) => `
        SELECT ${columns} FROM ${quoted(model.table)} AS stored
        ${conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`}
        ORDER BY ${sorting(by, 'stored')} ${LIMIT}`,
  );
  return parts.length === 1
    ? parts.join('')
    : `
        SELECT * FROM ((${parts.join(') UNION ALL (')}
        )) AS parts ORDER BY ${sorting(by, 'parts')} ${LIMIT}`;
}

function sorting(columns: readonly SortedColumn[], alias: string): string {
  return columns
    .map(
      ({ column, order }) => `${alias}.${quoted(column.column)}${order === 'asc' ? '' : ' DESC'}`,
    )
    .join(', ');
}
