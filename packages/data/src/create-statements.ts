import type { Statement } from '@store-gateway/ops';
import { AUDIT, AUDIT_COLUMNS, audited } from './audit.ts';
import { batchStatements, type BatchStatements } from './batch.ts';
import { findTaken, KEYS, takeKeys } from './idempotency-statements.ts';
import { jsonObject } from './json-object.ts';
import type { Column, Model } from './model.ts';
import { parameterRows, valueOf, type Parameter } from './parameters.ts';
import { numberedRow, numberedRows } from './rows.ts';
import { columnOf, literal, quoted } from './sql.ts';

type Size = keyof BatchStatements;

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

/** The same, and notes each row in the audit log. */
export function createAllAudited(model: Model): BatchStatements {
  return batchStatements(
    `${model.name}.createAllAudited`,
    (size) => `
    WITH requested AS MATERIALIZED (
      SELECT number${AUDIT_COLUMNS}, ${stored(model.columns)} FROM ${parameters(model.columns, size, AUDIT)}
    ), ${created(model, 'requested', 'audited')}`,
  );
}

/** Creates the rows whose keys are free: key and row in one transaction, and what is noted of them. */
export function createAllOnce(model: Model, audit?: 'audited'): BatchStatements {
  const generated = model.columns.flatMap((column, index): [Column, string][] =>
    column.generated === undefined ? [] : [[column, `v${index}`]],
  );
  const row = `request || ${jsonObject(generated)}`;
  return batchStatements(
    `${model.name}.createAllOnce${audit === undefined ? '' : 'Audited'}`,
    (size) => `
    WITH requested AS MATERIALIZED (
      SELECT number, key_id, key${audit === undefined ? '' : AUDIT_COLUMNS}, ${requestOf(model.columns)} AS request, ${stored(model.columns)}
      FROM ${parameters(model.columns, size, audit === undefined ? KEYS : [...KEYS, ...AUDIT])}
    ), ${takeKeys(model.name, ['request', row, 'requested'])},
    ${created(model, 'requested JOIN taken USING (key_id, key)', audit)}`,
  );
}

/** Finds what keys were taken for. */
export function findCreated(model: Model, isSharded?: boolean): Statement {
  const requests = `(
        SELECT number, key_id, key, ${requestOf(model.columns)} AS request
        FROM ${parameters(model.columns, 'several', KEYS)}
      ) AS requested`;
  const isSame = `${comparable('earlier.request', model)} = ${comparable('requested.request', model)}`;
  return {
    name: `${model.name}.findCreated`,
    text: findTaken(model, model.name, requests, { isSame, isSharded }),
  };
}

function created(model: Model, rows: string, audit?: 'audited'): string {
  const names = namesOf(model);
  const column = columnOf(model, model.id);
  const id = `created.${quoted(column.column)}`;
  const from = `created JOIN requested
      ON requested.v${model.columns.indexOf(column)} = ${id}`;
  return `created AS (
      INSERT INTO ${quoted(model.table)} (${names})
      SELECT ${model.columns.map((_column, index) => `v${index}`).join(', ')} FROM ${rows}
      RETURNING ${names}
    )${audit === undefined ? '' : audited(model, 'create', { id, requested: 'requested', from })}
    SELECT ${numberedRows(model, 'created', 'requested.number')}
    FROM ${from}`;
}

export function namesOf({ columns }: Model): string {
  return columns.map(({ column }) => quoted(column)).join(', ');
}

/** The values, before them the keys. */
function parameters(columns: readonly Column[], size: Size, keys: readonly Parameter[] = []) {
  return parameterRows([...keys, ...columnParameters(columns, 'p')], size);
}

/** A parameter for each column, called by a letter and its place. */
export function columnParameters(columns: readonly Column[], letter: string): Parameter[] {
  return columns.map(({ pgType, isList }, index) => ({
    name: `${letter}${index}`,
    pgType,
    isList,
  }));
}

function given(column: Column, index: number): string {
  return valueOf(column, `p${index}`);
}

/** What is compared: the values that are given. */
export function requestOf(columns: readonly Column[]): string {
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
