import type { Column, Model } from './model.ts';
import { rowsAsLists } from './rows.ts';
import { columnOf, literal, quoted } from './sql.ts';
import type { Statement } from './statement.ts';

/**
 * Creates the rows whose keys are free, or were taken more than a day ago: key and row in one transaction. A key that
 * another transaction is taking is waited for, by the unique index. Keys are taken in one order, so that statements
 * never wait for each other in a circle. A batch has each key once.
 */
export function createDeduplicated(model: Model): Statement {
  const { table, columns } = model;
  const names = columns.map(({ column }) => quoted(column)).join(', ');
  const values = columns.map((_column, index) => `v${index}`).join(', ');
  const id = columnOf(model, model.id);
  return {
    name: `${model.name}.createAllOnce`,
    text: `
    WITH requested AS MATERIALIZED (
      SELECT number, key_id, key, ${requestOf(columns)} AS request,
        ${columns.map((column, index) => `${created(model, column, index)} AS v${index}`).join(', ')}
      FROM ${parameters(columns)}
    ), taken AS (
      INSERT INTO idempotency_keys AS earlier (key_id, name, model, request, "row")
      SELECT key_id, key, ${literal(model.name)}, request, ${rowOf(model)}
      FROM requested ORDER BY key_id, key
      ON CONFLICT (key_id, name) DO UPDATE
        SET model = excluded.model, request = excluded.request, "row" = excluded."row",
          created_at = excluded.created_at
        WHERE earlier.created_at < now() - interval '1 day'
      RETURNING key_id, earlier.name AS key
    ), created AS (
      INSERT INTO ${quoted(...table)} (${names})
      SELECT ${values} FROM requested JOIN taken USING (key_id, key)
      RETURNING ${names}
    )
    SELECT string_agg(requested.number::text, ','), ${rowsAsLists(model, 'created')}
    FROM created JOIN requested ON v${columns.indexOf(id)} = created.${quoted(id.column)}`,
  };
}

/**
 * Finds what keys were taken for: the numbers of those that were taken for something else, then those that were taken
 * for the same, and their rows as they were created. A column that the table has got since is as the table has it.
 */
export function findDeduplicated(model: Model): Statement {
  const { column, pgType } = columnOf(model, model.id);
  return {
    name: `${model.name}.findCreated`,
    text: `
    WITH taken AS MATERIALIZED (
      SELECT number, "row", model = ${literal(model.name)}
        AND ${withoutNulls('earlier.request')} = ${withoutNulls('requested.request')} AS same
      FROM (
        SELECT number, key_id, key, ${requestOf(model.columns)} AS request FROM ${parameters(model.columns)}
      ) AS requested
      JOIN idempotency_keys AS earlier ON (earlier.key_id, earlier.name) = (requested.key_id, key)
    )
    SELECT (SELECT string_agg(number::text, ',') FROM taken WHERE NOT same),
      string_agg(taken.number::text, ','), ${rowsAsLists(model, 'entry')}
    FROM taken
    LEFT JOIN ${quoted(...model.table)} AS present
      ON present.${quoted(column)} = (taken."row" ->> ${literal(column)})::${pgType}
    CROSS JOIN LATERAL jsonb_populate_record(present, taken."row") AS entry
    WHERE taken.same`,
  };
}

/** A batch's keys and values. They are p0, p1 and so on, and what is stored v0, v1: no column is called like another. */
function parameters(columns: readonly Column[]): string {
  const types = columns.map(({ pgType }, index) => `$${index + 3}::${pgType}[]`);
  const names = columns.map((_column, index) => `p${index}`);
  return `unnest(${['$1::bigint[]', '$2::text[]', ...types].join(', ')})
        WITH ORDINALITY AS parameters (${['key_id', 'key', ...names].join(', ')}, number)`;
}

/** What is compared: the values that are given, written the same whatever the session's time zone. */
function requestOf(columns: readonly Column[]): string {
  return jsonObject(
    columns.map(({ column, pgType }, index) => [
      column,
      pgType === 'timestamptz'
        ? `(to_jsonb(p${index} AT TIME ZONE 'UTC') #>> '{}') || 'Z'`
        : `p${index}`,
    ]),
  );
}

function rowOf(model: Model): string {
  const generated = model.columns.flatMap((column, index): [string, string][] =>
    generatorOf(model, column) === undefined ? [] : [[column.column, `v${index}`]],
  );
  return generated.length === 0 ? 'request' : `request || ${jsonObject(generated)}`;
}

function jsonObject(members: readonly (readonly [name: string, value: string])[]): string {
  return `jsonb_build_object(${members.map(([name, value]) => `${literal(name)}, ${value}`).join(', ')})`;
}

/** A column that is left out, or isn't there yet, is as good as one that is null. Nulls within JSON count. */
function withoutNulls(request: string): string {
  return `(SELECT jsonb_object_agg(key, value) FROM jsonb_each(${request}) WHERE value <> 'null')`;
}

function created(model: Model, column: Column, index: number): string {
  const generator = generatorOf(model, column);
  return generator === undefined ? `p${index}` : `coalesce(p${index}, ${generator})`;
}

/** The expression of a column's value where none is given; undefined if the database generates none. */
export function generatorOf(model: Model, column: Column): string | undefined {
  // Where null is a value, it can't stand for none.
  if (!column.isRequired) {
    return undefined;
  }
  if (column.field === model.id && model.sequence !== undefined) {
    return `nextval(${literal(quoted(...model.sequence))}::regclass)`;
  }
  switch (column.default) {
    case 'now':
      // A column without a time zone has the time in UTC, whatever the session's is.
      return column.pgType === 'timestamptz'
        ? 'now()'
        : `(now() AT TIME ZONE 'UTC')::${column.pgType}`;
    case 'uuid':
      return `gen_random_uuid()::${column.pgType}`;
    default:
      return undefined;
  }
}
