import type { CreateBatcher } from '@store-gateway/ops';
import { canonicalOf } from './column-types.ts';
import type { Equal } from './conditions.ts';
import { type Column, columnOf, type Model, type Row } from './model.ts';
import { numberedRow, numberedRowDecoder, numberedRows, rawRow, rawRowReader } from './rows.ts';
import {
  arrayLiteral,
  batchLists,
  batchStatements,
  type BatchStatements,
  type Parameter,
  parameterRows,
  quoted,
  runBatch,
  statementsByShape,
  type TableOptions,
  valueOf,
} from './statements.ts';

/** Reads rows by their ids. Each result is at its id's index, if its row exists and the conditions hold. */
export type FindByIds = (
  ids: readonly string[],
  conditions?: readonly Equal[],
) => Promise<readonly (Row | undefined)[]>;

interface WantedRow {
  readonly id: string;
  readonly conditions: readonly Equal[];
}

/**
 * Creates a function that looks up rows by their ids. The requests of a batch with conditions on the same columns share a
 * statement.
 */
export function createFindByIds(
  model: Model,
  { read, createBatcher, isFault }: TableOptions,
): FindByIds {
  const statementsOf = statementsByColumns((columns) => statementsFor(model, columns));
  const decode = numberedRowDecoder(model);
  return batchFinds(
    createBatcher,
    isFault,
    ({ conditions }) => namesOf(conditions.map(({ column }) => column)),
    async (wanted, conditions) => {
      const lists = [wanted.map(({ id }) => id)];
      for (const place of conditions.keys()) {
        lists.push(wanted.map((each) => arrayOf(each.conditions[place])));
      }
      const statements = statementsOf(conditions.map(({ column }) => column));
      // Rows are decoded for each request separately, because requests may change them.
      return decode(await runBatch(read, statements, lists));
    },
  );
}

/**
 * Returns the statements for looking up rows, by the columns that have conditions. Statements without conditions are always
 * cached.
 */
function statementsByColumns(
  make: (columns: readonly Column[]) => BatchStatements,
): (columns: readonly Column[]) => BatchStatements {
  const unconditional = make([]);
  const conditional = statementsByShape(namesOf, make);
  return (columns) => (columns.length === 0 ? unconditional : conditional(columns));
}

const NONE: readonly Equal[] = [];

/**
 * Batches lookups, and runs each batch in groups.
 *
 * @param groupOf returns the name of a lookup's group, which depends on its conditions
 * @param findAlike finds the rows of a group, given the conditions of its first lookup
 */
function batchFinds(
  createBatcher: CreateBatcher,
  isFault: (error: unknown) => boolean,
  groupOf: (wanted: WantedRow) => string,
  findAlike: (
    wanted: readonly WantedRow[],
    conditions: readonly Equal[],
  ) => Promise<readonly (Row | undefined)[]>,
): FindByIds {
  const find = batchLists(
    createBatcher,
    async (wanted: readonly WantedRow[]) => {
      const found: (Row | undefined)[] = [];
      const groups = Map.groupBy(wanted.entries(), ([, each]) => groupOf(each));
      await Promise.all(
        Array.from(groups.values(), async (group) => {
          const alike = group.map(([, each]) => each);
          const rows = await findAlike(alike, alike[0]?.conditions ?? NONE);
          for (const [index, [place]] of group.entries()) {
            found[place] = rows[index];
          }
        }),
      );
      return found;
    },
    isFault,
  );
  return (ids, conditions = NONE) => find(ids.map((id) => ({ id, conditions })));
}

function statementsFor(model: Model, columns: readonly Column[]): BatchStatements {
  const id = columnOf(model, model.id);
  const parameters: Parameter[] = [{ name: 'id', pgType: id.pgType }];
  const conditions = [`found.${quoted(id.column)} = parameters.id`];
  for (const [place, { column, pgType }] of columns.entries()) {
    const parameter = { name: `equal_${place}`, pgType: `${pgType}[]`, isList: true } as const;
    parameters.push(parameter);
    conditions.push(
      `found.${quoted(column)} = ANY(${valueOf(parameter, `parameters.${parameter.name}`)})`,
    );
  }
  return batchStatements(
    `${model.name}.findByIds`,
    (size) => `
    SELECT ${size === 'several' ? numberedRows(model, 'found', 'parameters.number') : numberedRow(model, 'found')}
    FROM ${parameterRows(parameters, size)}
    JOIN ${quoted(model.table)} AS found ON ${conditions.join(' AND ')}`,
  );
}

function namesOf(columns: readonly Column[]): string {
  return columns.map(({ field }) => field).join();
}

/** Returns the values that a column may have, as the text of an array. */
function arrayOf(equal: Equal | undefined): string {
  return equal === undefined ? '' : equal.size === 1 ? arrayLiteral([equal.value]) : equal.value;
}

/**
 * Creates a function that looks up rows by their ids on shards. The requests of a batch with the same conditions share a
 * statement; a statement for one row queries one shard.
 */
export function createFindByIdsOnShards(
  model: Model,
  { read, createBatcher, isFault }: TableOptions,
): FindByIds {
  const id = columnOf(model, model.id);
  const statementsOf = statementsByColumns((columns) => statementsOnShards(model, columns));
  const idPlace = model.columns.indexOf(id);
  const canonical = canonicalOf(id);
  const rowsIn = rawRowReader(model);

  return batchFinds(
    createBatcher,
    (error) => isFault(error) || isServerLost(error),
    ({ conditions }) =>
      JSON.stringify(conditions.map(({ column, value }) => [column.field, value])),
    async (wanted, conditions) => {
      const { several, single } = statementsOf(conditions.map(({ column }) => column));
      const ids = wanted.map((each) => each.id);
      const values = conditions.map(arrayOf);
      const rows = await (ids.length === 1
        ? read(single, [...ids, ...values])
        : read(several, [ids, ...values]));
      const found = new Map(rows.map((row) => [canonical(row[idPlace] ?? ''), row]));
      const places = ids.map((each) => found.get(canonical(each)));
      // Rows are decoded for each request separately, because requests may change them.
      const decoded = rowsIn(places.filter((row) => row !== undefined))
        .decoded()
        .values();
      return places.map((row) => row && decoded.next().value);
    },
  );
}

function statementsOnShards(model: Model, columns: readonly Column[]): BatchStatements {
  const id = columnOf(model, model.id);
  const conditions = columns.map(
    ({ column, pgType }, place) => ` AND found.${quoted(column)} = ANY($${place + 2}::${pgType}[])`,
  );
  return batchStatements(
    `${model.name}.findByIds`,
    (size) => `
    SELECT ${rawRow(model, 'found')} FROM ${quoted(model.table)} AS found
    WHERE found.${quoted(id.column)} = ${size === 'several' ? `ANY($1::${id.pgType}[])` : `$1::${id.pgType}`}${conditions.join('')}`,
  );
}

/** Whether the error reports that the database can't reach a server that stores some of the rows. */
function isServerLost(error: unknown): boolean {
  const thrown = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return thrown instanceof Error && 'code' in thrown && thrown.code === '08006';
}
