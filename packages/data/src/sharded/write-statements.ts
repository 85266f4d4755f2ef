import type { Statement } from '@store-gateway/ops';
import { assignments, conditionsOf, idOf, newValues } from '../change-statements.ts';
import { namesOf } from '../create-statements.ts';
import type { ChangeShape } from '../encode-change.ts';
import type { Model } from '../model.ts';
import { columnOf, quoted } from '../sql.ts';
import { isReturnable, rawRow } from './raw-rows.ts';

/** What a write answers with: what is read of its rows, or their columns as they are, for what is kept of them. */
export type Answered = 'raw' | 'asStored';

/** Begins a transaction of rows of a table, and of tables of the coordinator. */
export function beginWrite({ table }: Model): string {
  // Else Citus would commit what is written to a single shard first, and by itself: a crash could leave a row without its key.
  return `BEGIN; DELETE FROM ${quoted(table)} WHERE false`;
}

/** The expressions that generate ids where none are given, and those that are, as the database writes them. */
export function drawIds(model: Model): Statement {
  const { pgType, generated } = columnOf(model, model.id);
  return {
    name: `${model.name}.drawIds`,
    text: `
    SELECT ${generated === undefined ? 'given' : `coalesce(given, ${generated})`}
    FROM unnest($1::${pgType}[]) WITH ORDINALITY AS ids (given, number) ORDER BY number`,
  };
}

/** Creates as many rows, of the values of one after the other. */
export function insertRows(model: Model, count: number, answered: Answered): Statement {
  const { columns } = model;
  const rows = Array.from({ length: count }, (_row, number) => {
    const values = columns.map(({ pgType, generated }, index) => {
      const value = `$${number * columns.length + index + 1}::${pgType}`;
      return generated === undefined ? value : `coalesce(${value}, ${generated})`;
    });
    return `(${values.join(', ')})`;
  });
  const name = `${model.name}.createAll${answered === 'raw' ? '' : 'AsStored'}`;
  return {
    name,
    preparedAs: `${name}:${count}`,
    text: answering(
      model,
      answered,
      `
    INSERT INTO ${quoted(model.table)} AS written (${namesOf(model)})
    VALUES ${rows.join(', ')}`,
    ),
  };
}

/** Changes one row: its parameters are the id, the values, and the time if `storesTime`. */
export function changeRow(model: Model, shape: ChangeShape, answered: Answered): string {
  const { operation, set, conditions } = shape;
  const places = {
    valueAt: (index: number, { pgType }: { readonly pgType: string }) => `$${index + 2}::${pgType}`,
    now: `$${set.length + conditions.length + 2}::timestamptz`,
  };
  const table = `${quoted(model.table)} AS changed`;
  return answering(
    model,
    answered,
    `
    ${operation === 'update' ? `UPDATE ${table} SET ${assignments(model, shape, places)}` : `DELETE FROM ${table}`}
    WHERE changed.${idOf(model)} = $1::${columnOf(model, model.id).pgType}
      ${conditionsOf(shape, 'changed', places)}`,
    'changed',
  );
}

/** Whether the time is one of the parameters of a change: Citus allows no function that tells it beside columns. */
export function storesTime(model: Model, shape: ChangeShape): boolean {
  return newValues(model, shape, 'changed').size > shape.set.length;
}

function answering(model: Model, answered: Answered, write: string, alias = 'written'): string {
  if (answered === 'raw' && isReturnable(model)) {
    return `${write}
    RETURNING ${rawRow(model, alias)}`;
  }
  const stored = model.columns.map(({ column }) => `${alias}.${quoted(column)}`).join(', ');
  const returning = `${write}
    RETURNING ${stored}`;
  return answered === 'asStored'
    ? returning
    : `WITH returned AS (${returning}) SELECT ${rawRow(model, 'returned')} FROM returned`;
}
