import { batchStatements, type BatchStatements } from './batch.ts';
import { jsonObject } from './json-object.ts';
import type { Column, Model } from './model.ts';
import { parameterRows, valueOf, type Parameter } from './parameters.ts';
import { numberedRow, numberedRows } from './rows.ts';
import { columnOf, literal, quoted } from './sql.ts';
import type { Statement } from './statement.ts';

type Size = keyof BatchStatements;

const KEYS: readonly Parameter[] = [
  { name: 'key_id', pgType: 'bigint' },
  { name: 'key', pgType: 'text' },
];

// Parameters are called p0, p1 and so on, and what is stored of them v0, v1: no column is called like another.

/**
 * Creates rows in one transaction. Ids are given out before anything is inserted, because nothing says in which order an
 * INSERT returns its rows: by its id each finds its number in the batch.
 */
export function createAll(model: Model): BatchStatements {
  return batchStatements(`${model.name}.createAll`, (size) => {
    const values = `${stored(model.columns)} FROM ${parameters(model.columns, size)}`;
    return size === 'several'
      ? `
    WITH requested AS MATERIALIZED (SELECT number, ${values}), ${created(model, 'requested')}`
      : `
    INSERT INTO ${quoted(model.table)} AS created (${namesOf(model)})
    SELECT ${values}
    RETURNING ${numberedRow(model, 'created')}`;
  });
}

/**
 * Creates the rows whose keys are free, or were taken more than a day ago: key and row in one transaction. A key that
 * another transaction is taking is waited for, by the unique index. Keys are taken in one order, so that statements
 * never wait for each other's in a circle. A batch has each key once.
 */
export function createAllOnce(model: Model): BatchStatements {
  const generated = model.columns.flatMap((column, index): [Column, string][] =>
    column.generated === undefined ? [] : [[column, `v${index}`]],
  );
  return batchStatements(
    `${model.name}.createAllOnce`,
    (size) => `
    WITH requested AS MATERIALIZED (
      SELECT number, key_id, key, ${requestOf(model.columns)} AS request, ${stored(model.columns)}
      FROM ${parameters(model.columns, size, KEYS)}
    ), taken AS (
      INSERT INTO idempotency_keys AS earlier (key_id, name, model, request, "row")
      SELECT key_id, key, ${literal(model.name)}, request, request || ${jsonObject(generated)}
      FROM requested ORDER BY key_id, key
      ON CONFLICT (key_id, name) DO UPDATE
        SET model = excluded.model, request = excluded.request, "row" = excluded."row",
          created_at = excluded.created_at
        WHERE earlier.created_at < now() - interval '1 day'
      RETURNING key_id, earlier.name AS key
    ), ${created(model, 'requested JOIN taken USING (key_id, key)')}`,
  );
}

/**
 * Finds what keys were taken for: the numbers of those that were taken for something else, then those that were taken
 * for the same, and their rows as they were created. A column that the table has got since is as the table has it.
 */
export function findCreated(model: Model): Statement {
  const { column, pgType } = columnOf(model, model.id);
  return {
    name: `${model.name}.findCreated`,
    text: `
    WITH taken AS MATERIALIZED (
      SELECT number, "row", model = ${literal(model.name)}
        AND ${comparable('earlier.request', model)} = ${comparable('requested.request', model)} AS same
      FROM (
        SELECT number, key_id, key, ${requestOf(model.columns)} AS request
        FROM ${parameters(model.columns, 'several', KEYS)}
      ) AS requested
      JOIN idempotency_keys AS earlier ON (earlier.key_id, earlier.name) = (requested.key_id, key)
    )
    SELECT (SELECT string_agg(number::text, ',') FROM taken WHERE NOT same),
      ${numberedRows(model, 'entry', 'taken.number')}
    FROM taken
    LEFT JOIN ${quoted(model.table)} AS present
      ON present.${quoted(column)} = (taken."row" ->> ${literal(column)})::${pgType}
    CROSS JOIN LATERAL jsonb_populate_record(present, taken."row") AS entry
    WHERE taken.same`,
  };
}

function created(model: Model, rows: string): string {
  const names = namesOf(model);
  const id = columnOf(model, model.id);
  return `created AS (
      INSERT INTO ${quoted(model.table)} (${names})
      SELECT ${model.columns.map((_column, index) => `v${index}`).join(', ')} FROM ${rows}
      RETURNING ${names}
    )
    SELECT ${numberedRows(model, 'created', 'requested.number')}
    FROM created JOIN requested
      ON requested.v${model.columns.indexOf(id)} = created.${quoted(id.column)}`;
}

function namesOf({ columns }: Model): string {
  return columns.map(({ column }) => quoted(column)).join(', ');
}

/** The values, before them the keys. */
function parameters(columns: readonly Column[], size: Size, keys: readonly Parameter[] = []) {
  const values = columns.map(({ pgType, isList }, index) => ({
    name: `p${index}`,
    pgType,
    isList,
  }));
  return parameterRows([...keys, ...values], size);
}

function given(column: Column, index: number): string {
  return valueOf(column, `p${index}`);
}

/** What is compared: the values that are given. */
function requestOf(columns: readonly Column[]): string {
  return jsonObject(columns.map((column, index) => [column, given(column, index)]));
}

/** A column that is left out, or wasn't there yet, is as good as null or its constant default. Nulls within JSON count. */
function comparable(request: string, { columns }: Model): string {
  const constants = columns.flatMap((column): [Column, string][] => {
    const { constant, pgType } = column;
    return constant === undefined ? [] : [[column, `${literal(constant)}::${pgType}`]];
  });
  return `${jsonObject(constants)} || coalesce(
          (SELECT jsonb_object_agg(key, value) FROM jsonb_each(${request}) WHERE value <> 'null'), '{}')`;
}

function stored(columns: readonly Column[]): string {
  const values = columns.map((column, index) =>
    column.generated === undefined
      ? given(column, index)
      : `coalesce(p${index}, ${column.generated})`,
  );
  return values.map((value, index) => `${value} AS v${index}`).join(', ');
}
