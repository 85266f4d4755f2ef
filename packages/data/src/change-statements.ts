import { AUDIT, audited } from './audit.ts';
import { batchStatements, type BatchStatements } from './batch.ts';
import type { ChangeShape } from './encode-change.ts';
import type { Model } from './model.ts';
import { parameterRows, valueOf, type Parameter } from './parameters.ts';
import { numberedRow, numberedRows } from './rows.ts';
import { typeOf } from './column-types.ts';
import { columnOf, inUtc, quoted } from './sql.ts';
import type { ColumnType } from './types.ts';

/** What stands for the values that are stored or compared, in their order, and for the time. */
interface Places {
  readonly valueAt: (index: number, parameter: Omit<Parameter, 'name'>) => string;
  /** A time with a time zone. By default it is as a column's expression has it, which no statement of Citus's may. */
  readonly now?: string;
}

/** Columns of `parameters`: `id`, then p0, p1 and so on. */
const IN_ROWS: Places = {
  valueAt: (index, parameter) => valueOf(parameter, `parameters.p${index}`),
};

/**
 * Changes rows in one transaction. Several are locked in the order of their ids first, so that statements never wait for
 * each other's in a circle. A batch has each row once.
 */
export function changeAll(model: Model, shape: ChangeShape): BatchStatements {
  const given = changeParameters(model, shape);
  return batchStatements(`${model.name}.${shape.operation}All`, (size) =>
    size === 'several'
      ? `
    WITH requested AS MATERIALIZED (SELECT * FROM ${parameterRows(given, size)}),
    locked AS MATERIALIZED (SELECT parameters.number ${lockedRows(model, shape)}),
    ${changed(model, shape, 'locked USING (number)')}`
      : `
    ${change(model, shape, parameterRows(given, size))}
      ${conditionsOf(shape, 'changed')}
    RETURNING ${numberedRow(model, 'changed')}`,
  );
}

/** The same, and notes each row that is changed in the audit log. */
export function changeAllAudited(model: Model, shape: ChangeShape): BatchStatements {
  const given = [...AUDIT, ...changeParameters(model, shape)];
  return batchStatements(
    `${model.name}.${shape.operation}AllAudited`,
    (size) => `
    WITH requested AS MATERIALIZED (SELECT * FROM ${parameterRows(given, size)}),
    locked AS MATERIALIZED (SELECT parameters.number ${lockedRows(model, shape)}),
    ${changed(model, shape, 'locked USING (number)', 'audited')}`,
  );
}

export function changeParameters(
  model: Model,
  { set, conditions }: ChangeShape,
): readonly Parameter[] {
  const values = [
    ...set,
    ...conditions.map(({ pgType, column: { isList } }) => ({ pgType, isList })),
  ];
  return [
    { name: 'id', pgType: columnOf(model, model.id).pgType },
    ...values.map(({ pgType, isList }, index) => ({ name: `p${index}`, pgType, isList })),
  ];
}

/** The rows, called `stored`, whose conditions hold. If another transaction was changing one, as that has left it. */
export function lockedRows(model: Model, shape: ChangeShape): string {
  const strength = shape.operation === 'update' ? 'NO KEY UPDATE' : 'UPDATE';
  return `FROM requested AS parameters
      JOIN ${quoted(model.table)} AS stored ON stored.${idOf(model)} = parameters.id
        ${conditionsOf(shape, 'stored')}
      ORDER BY parameters.id FOR ${strength} OF stored`;
}

/** Changes the requested rows that there are in what they are joined with. */
export function changed(
  model: Model,
  shape: ChangeShape,
  joined: string,
  audit?: 'audited',
): string {
  const columns = model.columns.map(({ column }) => `changed.${quoted(column)}`).join(', ');
  const ofRow = `requested AS parameters ON parameters.id = changed.${idOf(model)}`;
  return `changed AS (
      ${change(model, shape, `requested AS parameters JOIN ${joined}`)}
      RETURNING ${columns}
    )${audit === undefined ? '' : audited(model, shape.operation, { id: `changed.${idOf(model)}`, requested: 'parameters', from: `changed JOIN ${ofRow}` })}
    SELECT ${numberedRows(model, 'changed', 'parameters.number')}
    FROM changed JOIN ${ofRow}`;
}

function change(model: Model, shape: ChangeShape, rows: string): string {
  const table = `${quoted(model.table)} AS changed`;
  return `${
    shape.operation === 'update'
      ? `UPDATE ${table} SET ${assignments(model, shape)} FROM`
      : `DELETE FROM ${table} USING`
  } ${rows}
      WHERE changed.${idOf(model)} = parameters.id`;
}

/** What an update sets of `changed`. */
export function assignments(model: Model, shape: ChangeShape, places = IN_ROWS): string {
  const values = newValues(model, shape, 'changed', places);
  // An update of nothing leaves a row as it is.
  return values.size === 0
    ? `${idOf(model)} = changed.${idOf(model)}`
    : Array.from(values, ([column, value]) => `${quoted(column)} = ${value}`).join(', ');
}

/** What an update stores, by the names of columns. */
export function newValues(
  { columns }: Model,
  { set }: ChangeShape,
  reference: string,
  { valueAt, now }: Places = IN_ROWS,
): ReadonlyMap<string, string> {
  const values = new Map(set.map((column, index) => [column.column, valueAt(index, column)]));
  for (const each of set.length === 0 ? [] : columns) {
    const { column, onUpdate } = each;
    if (onUpdate !== undefined && !values.has(column)) {
      const before = `${reference}.${quoted(column)}`;
      values.set(
        column,
        now === undefined
          ? nextTime(onUpdate, typeOf(each), before)
          : nextTimeInUtc(now, typeOf(each), before),
      );
    }
  }
  return values;
}

/**
 * The time to the millisecond, as Prisma's engine stores it; one more than before for the second change of a millisecond,
 * so that the column tells any two states of a row apart.
 */
function nextTime(now: string, { time: digits }: Pick<ColumnType, 'time'>, before: string): string {
  const time = `date_trunc('milliseconds', ${now})`;
  return digits === 'day'
    ? now
    : `CASE WHEN ${before} BETWEEN ${time} AND ${time} + interval '1 second'
        THEN date_trunc('milliseconds', ${before}) + interval '1 millisecond' ELSE ${time} END`;
}

function nextTimeInUtc(now: string, type: ColumnType, before: string): string {
  return type.time === 'with time zone'
    ? inUtc(nextTime(inUtc(now), {}, inUtc(before)))
    : nextTime(`${inUtc(now)}::${type.pg}`, type, before);
}

export function conditionsOf(
  { set, conditions }: ChangeShape,
  reference: string,
  { valueAt, now }: Places = IN_ROWS,
): string {
  const times = now === undefined ? 'as they are' : 'in UTC';
  return conditions
    .map(({ column, pgType, compared }, index) => {
      const value = valueAt(set.length + index, { pgType, isList: column.isList });
      return `AND ${compared(`${reference}.${quoted(column.column)}`, times)} IS NOT DISTINCT FROM ${value}`;
    })
    .join('\n        ');
}

export function idOf(model: Model): string {
  return quoted(columnOf(model, model.id).column);
}
