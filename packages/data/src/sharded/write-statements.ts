import type { Statement } from '@store-gateway/ops';
import { batchStatements, type BatchStatements } from '../batch.ts';
import type { Model } from '../model.ts';
import { columnOf, quoted } from '../sql.ts';
import type { WriteShape } from '../write-shape.ts';
import { conditionsOf, namesOf, write } from '../write-statements.ts';
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
export function changeRow(model: Model, shape: WriteShape, answered: Answered): BatchStatements {
  const { operation, set, conditions } = shape;
  const places = {
    id: `$1::${columnOf(model, model.id).pgType}`,
    valueAt: (index: number, { pgType }: { readonly pgType: string }) => `$${index + 2}::${pgType}`,
    now: `$${set.length + conditions.length + 2}::timestamptz`,
  };
  const text = answering(
    model,
    answered,
    `
    ${write(model, shape, places)}
      ${conditionsOf(shape, 'written', places)}`,
  );
  const name = `${model.name}.${operation}All${answered === 'raw' ? '' : 'AsStored'}`;
  return batchStatements(name, () => text);
}

function answering(model: Model, answered: Answered, writing: string): string {
  if (answered === 'raw' && isReturnable(model)) {
    return `${writing}
    RETURNING ${rawRow(model, 'written')}`;
  }
  const stored = model.columns.map(({ column }) => `written.${quoted(column)}`).join(', ');
  const returning = `${writing}
    RETURNING ${stored}`;
  return answered === 'asStored'
    ? returning
    : `WITH returned AS (${returning}) SELECT ${rawRow(model, 'returned')} FROM returned`;
}
