import { batchStatements, type BatchStatements } from './batch.ts';
import type { Model } from './model.ts';
import { partsOf, type References } from './page-parts.ts';
import { indexOrder, type PageShape, type SortedColumn } from './page-shape.ts';
import { parameterRows, valueOf, type Parameter } from './parameters.ts';
import { rowsAsLists } from './rows.ts';
import { quoted } from './sql.ts';

const LIMIT = '"limit"';

/** The values of a statement for several pages: rows of parameters, and one of each set's values. */
const ROWS: References = {
  valueOf: (name) => `parameters.${name}`,
  hasWholeSets: false,
};

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
  const parameters = parametersOf(shape);
  const sets = parameters.flatMap((parameter, place) => {
    const values = valueOf(parameter, `parameters.${parameter.name}`);
    return parameter.isList === true
      ? `
        (SELECT DISTINCT value FROM unnest(${values}) AS given (value)) AS set_${place}`
      : [];
  });
  const found = rowsOf(model, indexOrder(shape), partsOf(shape, keepsOrder, ROWS), ROWS);
  const rows =
    sets.length === 0
      ? found
      : `
      SELECT part.* FROM ${sets.join(' CROSS JOIN ')}
      CROSS JOIN LATERAL (${found}
      ) AS part
      ORDER BY ${sorting(shape.sorted, 'part')} LIMIT ${ROWS.valueOf(LIMIT)}`;
  return batchStatements(
    `${model.name}.findOrderedPages`,
    (size) => `
    SELECT found.*
    FROM ${parameterRows(parameters, size)}
    CROSS JOIN LATERAL (
      SELECT parameters.number, ${rowsAsLists(model, 'listed')}
      FROM (${rows}
      ) AS listed
    ) AS found`,
  );
}

/** In the order of a page's values; the limit is the last. */
export function parametersOf(shape: PageShape): Parameter[] {
  const { equal, sorted, range, hasAfter, hasUntil } = shape;
  const [first] = sorted;
  const ofRow = (side: string) =>
    sorted.map(({ column }, place) => ({ name: `${side}_${place}`, pgType: column.pgType }));
  return [
    ...equal.map(({ column: { pgType }, isSet }, place): Parameter => {
      const name = `equal_${place}`;
      return isSet ? { name, pgType: `${pgType}[]`, isList: true } : { name, pgType };
    }),
    ...range.map((_, place) => ({ name: `range_${place}`, pgType: first?.column.pgType ?? '' })),
    ...(hasAfter ? ofRow('after') : []),
    ...(hasUntil ? ofRow('until') : []),
    { name: LIMIT, pgType: 'int' },
  ];
}

/**
 * The rows of a page, or of one combination of its sets' values. PostgreSQL merges parts by the order of all of the index's
 * columns only.
 *
 * @param selectRaw what to select of each row instead of its columns, by the alias of what has them
 */
export function rowsOf(
  model: Model,
  by: readonly SortedColumn[],
  parts: readonly (readonly string[])[],
  { valueOf: reference }: References,
  selectRaw?: (alias: string) => string,
): string {
  const columns = model.columns.map(({ column }) => `stored.${quoted(column)}`).join(', ');
  const limit = `LIMIT ${reference(LIMIT)}`;
  const partOf = (conditions: readonly string[], selected: string): string => `
        SELECT ${selected} FROM ${quoted(model.table)} AS stored
        ${conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`}
        ORDER BY ${sorting(by, 'stored')} ${limit}`;
  const [only, ...others] = parts;
  return only !== undefined && others.length === 0
    ? partOf(only, selectRaw?.('stored') ?? columns)
    : `
        SELECT ${selectRaw?.('parts') ?? '*'} FROM ((${parts.map((part) => partOf(part, columns)).join(') UNION ALL (')}
        )) AS parts ORDER BY ${sorting(by, 'parts')} ${limit}`;
}

function sorting(columns: readonly SortedColumn[], alias: string): string {
  return columns
    .map(
      ({ column, order }) => `${alias}.${quoted(column.column)}${order === 'asc' ? '' : ' DESC'}`,
    )
    .join(', ');
}
