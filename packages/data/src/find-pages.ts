import type { Comparison } from './conditions.ts';
import type { Model, Order } from './model.ts';
import {
  dependsOnOrder,
  type FindPages,
  indexOrder,
  isEqual,
  isPlain,
  type Page,
  type PageShape,
  type SortedColumn,
} from './page.ts';
import { type ListedRows, rawRow, rawRowReader, rowReader, rowsAsLists } from './rows.ts';
import {
  batchLists,
  batchStatements,
  type BatchStatements,
  memoizeByShape,
  literal,
  type Parameter,
  parameterRows,
  quoted,
  type RunStatement,
  statementsByShape,
  type TableOptions,
  valueOf,
} from './statements.ts';

/** Maximum number of shapes that share a statement. */
const MAX_TOGETHER = 8;

/** The properties that a batch's statements depend on. */
interface Combination {
  readonly shapes: readonly PageShape[];
  readonly keepsOrder: boolean;
}

/** Thrown by a read that only Prisma's engine can handle because of the database's collations. */
export class NeedsEngineError extends Error {}

/**
 * Creates a function that reads pages in the order of any index. The requests of a batch share a statement if they have at most
 * eight shapes and their combination is among the first 128; otherwise, each shape has its own statement.
 */
export function createFindPages(
  model: Model,
  databaseOrder: () => Promise<DatabaseOrder>,
  { read, createBatcher, isFault }: TableOptions,
): FindPages {
  const make = ({ shapes, keepsOrder }: Combination) => pageStatements(model, shapes, keepsOrder);
  // Cached separately, so that clients that vary filters and orders can't evict the statements of the most frequent pages.
  const ofIds = statementsByShape(nameOf, make);
  const ofOne = statementsByShape(nameOf, make);
  const ofSeveral = memoizeByShape(nameOf, make);
  const rowsIn = rowReader(model);
  const none = rowsIn([]);

  /** Reads groups of pages. The pages of a group have the same shape. */
  async function findGroups(groups: readonly (readonly Page[])[]): Promise<ListedRows[][]> {
    const shapes = groups.flatMap(([first]) => first?.shape ?? []);
    const keepsOrder = shapes.some(dependsOnOrder) && (await databaseOrder()).keepsOrder;
    const combination = { shapes, keepsOrder };
    const found =
      shapes.length === 1
        ? (shapes.every(isPlain) ? ofIds : ofOne)(combination)
        : shapes.length <= MAX_TOGETHER
          ? ofSeveral(combination)
          : undefined;
    if (found === undefined) {
      return (await Promise.all(groups.map((group) => findGroups([group])))).flat();
    }
    const lists = groups.flatMap((pages) => [
      ...(pages[0]?.values ?? []).map((_value, place) =>
        pages.map(({ values }) => values[place] ?? null),
      ),
      pages.map(({ limit }) => String(limit)),
    ]);
    const rows = groups.every(({ length }) => length === 1)
      ? await read(
          found.single,
          lists.map(([value = null]) => value),
        )
      : await read(found.several, lists);
    const listed = groups.map((pages) => pages.map(() => none));
    for (const [number, ...texts] of rows) {
      const group = listed[groups.length === 1 ? 0 : Number(texts.at(-1))];
      if (group !== undefined) {
        group[Number(number) - 1] = rowsIn(texts);
      }
    }
    return listed;
  }

  const find = batchLists(
    createBatcher,
    async (pages: readonly Page[]) => {
      if (pages.length === 0) {
        return [];
      }
      const byShape = Map.groupBy(pages, ({ shape }) => shape.name);
      const groups = [...byShape].toSorted(([one], [other]) => (one < other ? -1 : 1));
      const found = await findGroups(groups.map(([, alike]) => alike));
      const next = new Map(groups.map(([name], place) => [name, found[place]?.values()]));
      return pages.map(({ shape }) => next.get(shape.name)?.next().value ?? none);
    },
    isFault,
  );
  return leavingPrefixes(databaseOrder, find);
}

function nameOf({ shapes, keepsOrder }: Combination): string {
  return `${keepsOrder ? 'in order\n' : ''}${shapes.map(({ name }) => name).join(';')}`;
}

/** Falls back to Prisma's engine for prefix conditions if the database doesn't order the texts by their bytes. */
function leavingPrefixes(databaseOrder: () => Promise<DatabaseOrder>, find: FindPages): FindPages {
  const findPrefixed: FindPages = async (pages) => {
    const { bytewise } = await databaseOrder();
    if (pages.some(({ prefixed }) => prefixed !== undefined && !bytewise.has(prefixed))) {
      throw new NeedsEngineError();
    }
    return find(pages);
  };
  return (pages) =>
    pages.some(({ prefixed }) => prefixed !== undefined) ? findPrefixed(pages) : find(pages);
}

/** Creates a function that reads pages on shards, in the order of any index. Each page is read by its own statement. */
export function createFindPagesOnShards(
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
 * Returns the statement that reads one page with a simple SELECT whose values are plain parameters, so that Citus can route it
 * to the shard of a value, or request no more rows from each shard than the page needs. Several pages in one statement would
 * cost Citus as much as separate statements.
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

/** The beginning or the end of a page. */
type Side = 'after' | 'until';

/** How SQL conditions refer to a page's values. */
interface References {
  readonly referTo: (parameter: string) => string;
  /** Whether a set is passed as a whole, or each of its values separately. */
  readonly hasWholeSets: boolean;
}

/** Consecutive sorted columns with the same direction. Rows are compared by all of them at once. */
interface Run {
  readonly start: number;
  readonly columns: readonly SortedColumn[];
  readonly order: Order;
}

const LIMIT = '"limit"';

/** References in a statement for several pages: to columns of the parameter rows, and to single values of sets. */
const ROWS: References = {
  referTo: (name) => `parameters.${name}`,
  hasWholeSets: false,
};

/**
 * Returns statements that read pages of one or more shapes. Each page is read from one index, in parts that are contiguous and
 * in order in the index. Each part combines one value of each set with one way in which rows can come after the page's
 * beginning and one way in which they can come before its end. No part has more rows than the page. With several shapes, the
 * last column contains the index of the page's shape.
 *
 * @param keepsOrder whether the database reads an index in order even if a column other than the first is compared with an
 *   array
 */
function pageStatements(
  model: Model,
  shapes: readonly PageShape[],
  keepsOrder: boolean,
): BatchStatements {
  return batchStatements(`${model.name}.findPages`, (size) => {
    let first = 1;
    const texts: string[] = [];
    for (const [place, shape] of shapes.entries()) {
      const parameters = parametersOf(shape);
      texts.push(`
    SELECT found.*${shapes.length === 1 ? '' : `, ${place}`}
    FROM ${parameterRows(parameters, size, first)}
    CROSS JOIN LATERAL (
      SELECT parameters.number, ${rowsAsLists(model, 'listed')}
      FROM (${pageRows(model, shape, parameters, keepsOrder)}
      ) AS listed
    ) AS found`);
      first += parameters.length;
    }
    return texts.join(`
    UNION ALL`);
  });
}

/** Returns SQL for the rows of a page with these parameters. */
function pageRows(
  model: Model,
  shape: PageShape,
  parameters: readonly Parameter[],
  keepsOrder: boolean,
): string {
  const found = rowsOf(model, indexOrder(shape), partsOf(shape, keepsOrder, ROWS), ROWS);
  const sets = parameters.flatMap((parameter, place) => {
    const values = valueOf(parameter, `parameters.${parameter.name}`);
    return parameter.isList === true
      ? `
        (SELECT DISTINCT value FROM unnest(${values}) AS given (value)) AS set_${place}`
      : [];
  });
  return sets.length === 0
    ? found
    : `
      SELECT part.* FROM ${sets.join(' CROSS JOIN ')}
      CROSS JOIN LATERAL (${found}
      ) AS part
      ORDER BY ${sorting(shape.sorted, 'part')} LIMIT ${ROWS.referTo(LIMIT)}`;
}

/** Returns the parameters of a page's statement, in the order of the page's values. The last is the limit. */
function parametersOf(shape: PageShape): Parameter[] {
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
 * Returns SQL for the rows of a page, or of one combination of its sets' values. PostgreSQL can merge parts only in the order
 * of all of the index's columns.
 *
 * @param selectRaw returns the SELECT list that replaces the columns, given the rows' alias
 */
function rowsOf(
  model: Model,
  by: readonly SortedColumn[],
  parts: readonly (readonly string[])[],
  { referTo }: References,
  selectRaw?: (alias: string) => string,
): string {
  const columns = model.columns.map(({ column }) => `stored.${quoted(column)}`).join(', ');
  const limit = `LIMIT ${referTo(LIMIT)}`;
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

/**
 * Returns the conditions of a page's parts, each of which is contiguous in an index. Columns are compared with an array of one
 * value: from a plain equality, PostgreSQL would infer that rows needn't be sorted by the column, and might read an index that
 * lacks the column, filtering out the rows with other values.
 */
function partsOf(
  shape: PageShape,
  keepsOrder: boolean,
  { referTo, hasWholeSets }: References,
): (readonly string[])[] {
  if (!keepsOrder && !hasWholeSets && canCompareRows(shape)) {
    return [rowComparisons(shape, referTo)];
  }
  const { equal, sorted, range, hasAfter, hasUntil } = shape;
  const equals = ({ column }: SortedColumn, value: string, place: number): string =>
    place === 0 || keepsOrder
      ? `stored.${quoted(column.column)} = ANY(ARRAY[${value}])`
      : `stored.${quoted(column.column)} = ${value}`;
  const runs = runsOf(shape);
  const onSide = (side: Side): (readonly string[])[] =>
    runs.map((run) =>
      sorted
        .slice(0, run.start)
        .map((column, place) => equals(column, referTo(`${side}_${place}`), equal.length + place))
        .concat(comparison(run, side, referTo)),
    );
  const always = equal
    .map((column, place) => {
      const value = referTo(`equal_${place}`);
      return column.isSet && hasWholeSets
        ? `${tuple([column])} = ANY(${value})`
        : equals(column, column.isSet ? `set_${place}.value` : value, place);
    })
    .concat(
      range.map(
        (operator, place) =>
          `${tuple(sorted.slice(0, 1))} ${operator} ${referTo(`range_${place}`)}`,
      ),
    );
  const ends = hasUntil ? onSide('until') : [[]];
  return (hasAfter ? onSide('after') : [[]]).flatMap((after) =>
    ends.map((until) => always.concat(after, until)),
  );
}

/**
 * Whether a page with several equal columns lies between two points of its index, because all of the index's columns have the
 * same direction. If so, even PostgreSQL versions before 17, which don't keep the order of several arrays, can read the page in
 * order.
 */
function canCompareRows(shape: PageShape): boolean {
  const { equal, sorted, range, hasAfter, hasUntil } = shape;
  const columns = indexOrder(shape);
  return (
    equal.length > 1 &&
    columns.length === equal.length + sorted.length &&
    columns.every(({ order }) => order === columns[0]?.order) &&
    !(range.length > 0 && (hasAfter || hasUntil))
  );
}

/** Returns comparisons of all of the index's columns at once: at least one lower bound and one upper bound. */
function rowComparisons(
  { equal, sorted, range, hasAfter, hasUntil }: PageShape,
  referTo: References['referTo'],
): string[] {
  const isAscending = sorted[0]?.order === 'asc';
  const valuesOf = (side: Side) => sorted.map((_, place) => referTo(`${side}_${place}`));
  const bounds = range.map((operator, place): [Comparison, readonly string[]] => [
    operator,
    [referTo(`range_${place}`)],
  ]);
  if (hasAfter) {
    bounds.push([isAscending ? '>' : '<', valuesOf('after')]);
  }
  if (hasUntil) {
    bounds.push([isAscending ? '<' : '>', valuesOf('until')]);
  }
  for (const end of ['>=', '<='] as const) {
    if (!bounds.some(([operator]) => operator.startsWith(end.charAt(0)))) {
      bounds.push([end, []]);
    }
  }
  const equals = equal.map(({ isSet }, place) =>
    isSet ? `set_${place}.value` : referTo(`equal_${place}`),
  );
  return bounds.map(
    ([operator, values]) =>
      `${tuple([...equal, ...sorted.slice(0, values.length)])} ${operator} (${[...equals, ...values].join(', ')})`,
  );
}

/**
 * Splits the sorted columns into runs. PostgreSQL starts reading an index at one bound only, so a column with a further
 * condition is compared separately.
 */
function runsOf({ equal, sorted, range }: PageShape): Run[] {
  const runs: Run[] = [];
  const isAlone = (place: number): boolean => {
    const column = sorted[place]?.column;
    return (place === 0 && range.length > 0) || (column !== undefined && isEqual(equal, column));
  };
  let start = 0;
  for (const [place, { order }] of sorted.entries()) {
    if (order !== sorted[place + 1]?.order || isAlone(place) || isAlone(place + 1)) {
      runs.push({ start, columns: sorted.slice(start, place + 1), order });
      start = place + 1;
    }
  }
  return runs;
}

function comparison(
  { start, columns, order }: Run,
  side: Side,
  referTo: References['referTo'],
): string {
  const values = columns.map((_, place) => referTo(`${side}_${start + place}`));
  const operator = (order === 'asc') === (side === 'after') ? '>' : '<';
  return columns.length === 1
    ? `${tuple(columns)} ${operator} ${values.join('')}`
    : `${tuple(columns)} ${operator} (${values.join(', ')})`;
}

function tuple(columns: readonly SortedColumn[]): string {
  const names = columns.map(({ column }) => `stored.${quoted(column.column)}`).join(', ');
  return columns.length === 1 ? names : `(${names})`;
}

/** How the server's version and collations affect the order of reads. */
interface DatabaseOrder {
  /** Whether the server reads an index in order even if a column other than the first is compared with an array. */
  readonly keepsOrder: boolean;
  /** The columns whose texts are ordered by their bytes, so that texts with the same prefix are adjacent. */
  readonly bytewise: ReadonlySet<string>;
}

/**
 * The version number of PostgreSQL 17. Earlier versions compare a column other than the first with an array only in rows that
 * they have already read.
 */
const KEEPS_ORDER = 170_000;

/** Returns a function that queries a table's `DatabaseOrder` once, and again only if that fails. */
export function databaseOrderOf(model: Model, read: RunStatement): () => Promise<DatabaseOrder> {
  const statement = { name: `${model.name}.findOrder`, text: textOf(model) };
  const ask = async (): Promise<DatabaseOrder> => {
    const [[version] = [], ...columns] = await read(statement, []);
    return {
      keepsOrder: Number(version) >= KEEPS_ORDER,
      bytewise: new Set(columns.map(([column]) => column ?? '')),
    };
  };
  let asked: Promise<DatabaseOrder> | undefined;
  return () => {
    asked ??= ask().catch((error: unknown) => {
      asked = undefined;
      throw error;
    });
    return asked;
  };
}

/**
 * Returns SQL that reads the catalogs as JSON, because their columns depend on the version of PostgreSQL. The default collation
 * is the database's.
 */
function textOf({ table }: Model): string {
  return `
    SELECT current_setting('server_version_num')
    UNION ALL
    SELECT attname::text
    FROM pg_attribute
    JOIN (SELECT oid, to_jsonb(pg_collation) AS own FROM pg_collation) AS collations
      ON collations.oid = attcollation
    CROSS JOIN (
      SELECT to_jsonb(pg_database) AS own FROM pg_database WHERE datname = current_database()
    ) AS databases
    WHERE attrelid = ${literal(quoted(table))}::regclass AND getdatabaseencoding() = 'UTF8'
      AND lower(replace(CASE
        WHEN collations.own ->> 'collprovider' = 'd' THEN CASE databases.own ->> 'datlocprovider'
          WHEN 'i' THEN '' WHEN 'b' THEN databases.own ->> 'datlocale'
          ELSE databases.own ->> 'datcollate' END
        WHEN collations.own ->> 'collprovider' = 'c' THEN collations.own ->> 'collcollate'
        WHEN collations.own ->> 'collprovider' = 'b' THEN collations.own ->> 'colllocale'
      END, '-', '')) IN ('c', 'posix', 'c.utf8', 'pg_unicode_fast')`;
}
