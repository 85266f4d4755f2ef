import type { Statement } from '@store-gateway/ops';
import { AUDIT, type AuditEntry, auditStage } from './audit.ts';
import { type ColumnType, typeOf } from './column-types.ts';
import type { Condition } from './conditions.ts';
import { type Column, columnOf, type Model, type Row, type WriteOperation } from './model.ts';
import { numberedRow, numberedRows } from './rows.ts';
import {
  batchStatements,
  type BatchStatements,
  inUtc,
  literal,
  type Parameter,
  parameterRows,
  quoted,
  valueOf,
} from './statements.ts';

/** What writes of one statement have in common. */
export interface WriteShape {
  /** Names it among those of a model: '' that of all creates. */
  readonly name: string;
  readonly operation: WriteOperation;
  /** The columns that get values: of a create all, in their order. */
  readonly set: readonly Column[];
  /** What has to hold of a row to change. */
  readonly conditions: readonly Condition[];
}

/** A write of one row. */
export interface Write {
  readonly shape: WriteShape;
  /** Of the row to change; null for none, since the conditions never hold. One to create has it among its values. */
  readonly id: string | null;
  /** Those that are stored, null also for what the database is to generate, then those of the conditions. */
  readonly values: readonly (string | null)[];
}

/** A name that a caller has given to one write, for a day. Callers don't meet each other's names. */
export interface IdempotencyKey {
  readonly keyId: bigint;
  readonly name: string;
}

interface Once {
  readonly key: IdempotencyKey;
  /** What a replay of a change repeats; '' of a create, which repeats the values. */
  readonly fingerprint: string;
  /** Whether it is only answered if it was made before, and not made. */
  readonly isReplayOnly: boolean;
}

/** A write to make. */
export interface RequestedWrite {
  readonly write: Write;
  /** What is noted of it in the audit log. */
  readonly audit?: AuditEntry | undefined;
  /** What it is made once under. */
  readonly once?: Once | undefined;
}

/** What a write has left. */
export interface Written {
  /** As it was when this was first done; undefined if the key was used for something else, or if the row can't be read anymore. */
  readonly row: Row | undefined;
  /** Whether that was done before. */
  readonly isReplay: boolean;
  /** Whether the table's types have changed since, so that it can't have such a row anymore. */
  readonly isOutdated?: true;
}

/** Makes one write: undefined if no row was changed. */
export type MakeWrite = (requested: RequestedWrite) => Promise<Written | undefined>;

/** Makes writes of one shape, those under keys if these are free: the rows, at the places of their requests. */
export type WriteAlike = (
  writes: readonly RequestedWrite[],
) => Promise<readonly (Row | undefined)[]>;

/** The shape that all of these writes have. @throws TypeError if there are none */
export function commonShape([first]: readonly RequestedWrite[]): WriteShape {
  if (first === undefined) {
    throw new TypeError('there is nothing to write');
  }
  return first.write.shape;
}

/** Names the key of a write; '' if it has none. */
export function nameOfKey({ once }: RequestedWrite): string {
  return once === undefined ? '' : `${once.key.keyId} ${once.key.name}`;
}

/** What a write does beside writing its row. */
export interface Stages {
  /** Whether it takes an idempotency key, and is made only if that is free. */
  readonly isOnce: boolean;
  /** Whether it notes the row in the audit log. */
  readonly isAudited: boolean;
}

/** What stands for the id of a row to change, for the values that are stored or compared, in their order, and for the time. */
interface Places {
  readonly id: string;
  readonly valueAt: (index: number, column: StoredValue) => string;
  /** A time with a time zone. By default it is as a column's expression has it, which no statement of Citus's may. */
  readonly now?: string;
}

/** How a value is stored; a condition's has what the column is compared as. */
type StoredValue = Omit<Parameter, 'name'> & Pick<Column, 'generated'>;

/** Columns of `parameters`: `id`, then p0, p1 and so on, since no column is called like another. */
const IN_PARAMETERS: Places = { id: 'parameters.id', valueAt: storedValue };

/** Columns of `requested`: `id`, then v0, v1 and so on. */
const IN_REQUESTED: Places = { id: 'requested.id', valueAt: (index) => `requested.v${index}` };

function storedValue(index: number, { generated, ...column }: StoredValue): string {
  const value = valueOf(column, `parameters.p${index}`);
  return generated === undefined ? value : `coalesce(${value}, ${generated})`;
}

/**
 * Makes writes of one shape in one transaction, by CTEs that each write has or hasn't: `requested`, the rows to change `locked`,
 * the keys `taken` that are free, the rows `written`, and their notes `audited`.
 *
 * Ids of new rows are given out in `requested`, because nothing says in which order an INSERT returns its rows: by its id each
 * finds its number in the batch. Rows to change are locked in the order of their ids, and keys are taken in theirs, so that
 * statements never wait for each other's in a circle; a batch has each row and each key once. Rows are locked before keys are
 * taken, so that a key is taken only for a row whose conditions hold, and it is known what the row is going to be.
 *
 * @param isWritten whether shards have the rows already: they come as the last parameters, and of a create's own values only those
 *   that its key is taken for
 */
export function writeStatements(
  model: Model,
  shape: WriteShape,
  { isOnce, isAudited }: Stages,
  isWritten = false,
): BatchStatements {
  const { operation } = shape;
  const isCreate = operation === 'create';
  const isLocked = !isCreate && !isWritten;
  const values = valuesOf(shape);
  const parameters = [
    ...(isOnce ? keyParameters(operation) : []),
    ...(isAudited ? AUDIT : []),
    ...(isLocked ? [{ name: 'id', pgType: columnOf(model, model.id).pgType }] : []),
    ...(isWritten && !(isOnce && isCreate) ? [] : columnParameters(values, 'p')),
    ...(isWritten ? columnParameters(model.columns, 'w') : []),
  ];
  const requested = [
    'number',
    ...(isOnce ? [`key_id, key, ${requestOf(model, operation)} AS request`] : []),
    ...(isAudited ? AUDIT.map(({ name }) => name) : []),
    ...(isLocked ? ['id'] : []),
    ...(isWritten
      ? model.columns.map((column, index) => valueOf(column, `parameters.w${index}`))
      : values.map((column, index) => storedValue(index, column))
    ).map((value, index) => `${value} AS v${index}`),
  ].join(', ');
  const stored = model.columns.map((column, index) => [column, `requested.v${index}`] as const);
  const row = isCreate
    ? createdRow(stored)
    : isLocked
      ? '"row"'
      : jsonObject(stored, 'as they are');
  const rows = `requested${isLocked ? ' JOIN locked USING (number)' : ''}`;
  const free = `${rows}${isOnce ? ' JOIN taken USING (key_id, key)' : ''}`;
  const written = `written JOIN requested ON requested.${isLocked ? 'id' : `v${model.columns.indexOf(columnOf(model, model.id))}`} = written.${idOf(model)}`;
  const ctes = [
    ...(isLocked ? [`locked AS MATERIALIZED (${lock(model, shape, isOnce)})`] : []),
    ...(isOnce ? [takeKeys(model, operation, row, rows)] : []),
    isWritten
      ? `written AS (SELECT ${stored.map(([{ column }, value]) => `${value} AS ${quoted(column)}`).join(', ')} FROM ${free})`
      : `written AS (
      ${writeSql(model, shape, IN_REQUESTED, free)}
      RETURNING ${model.columns.map(({ column }) => `written.${quoted(column)}`).join(', ')}
    )`,
    ...(isAudited
      ? [auditStage(model, operation, { id: `written.${idOf(model)}`, from: written })]
      : []),
  ].join(',\n    ');
  return batchStatements(nameOf(model, operation, { isOnce, isAudited }), (size) =>
    size === 'single' && !isOnce && !isAudited
      ? `
    ${writeSql(model, shape, IN_PARAMETERS, parameterRows(parameters, size))}
      ${conditionsOf(shape, 'written', IN_PARAMETERS)}
    RETURNING ${numberedRow(model, 'written')}`
      : `
    WITH requested AS MATERIALIZED (SELECT ${requested} FROM ${parameterRows(parameters, size)}),
    ${ctes}
    SELECT ${numberedRows(model, 'written', 'requested.number')}
    FROM ${written}`,
  );
}

/** What metrics and traces call writes. */
function nameOf({ name }: Model, operation: WriteOperation, stages: Stages): string {
  return `${name}.${operation}All${stages.isOnce ? 'Once' : ''}${stages.isAudited ? 'Audited' : ''}`;
}

/** The values of a write. What a change sets is never generated. */
function valuesOf({ operation, set, conditions }: WriteShape): readonly StoredValue[] {
  return operation === 'create'
    ? set
    : [
        ...set.map(({ pgType, isList }) => ({ pgType, isList })),
        ...conditions.map(({ pgType, column: { isList } }) => ({ pgType, isList })),
      ];
}

/** A parameter for each value, called by a letter and its place. */
function columnParameters(columns: readonly StoredValue[], letter: string): Parameter[] {
  return columns.map(({ pgType, isList }, index) => ({
    name: `${letter}${index}`,
    pgType,
    isList,
  }));
}

/** The rows, called `stored`, whose conditions hold. If another transaction was changing one, as that has left it. */
function lock(model: Model, shape: WriteShape, isOnce: boolean): string {
  const strength = shape.operation === 'update' ? 'NO KEY UPDATE' : 'UPDATE';
  const values = newValues(model, shape, 'stored', IN_REQUESTED);
  const row = model.columns.map(
    (column) => [column, values.get(column.column) ?? `stored.${quoted(column.column)}`] as const,
  );
  return `
      SELECT requested.number${isOnce ? `, ${jsonObject(row, 'as they are')} AS "row"` : ''}
      FROM requested JOIN ${quoted(model.table)} AS stored ON stored.${idOf(model)} = requested.id
        ${conditionsOf(shape, 'stored', IN_REQUESTED)}
      ORDER BY requested.id FOR ${strength} OF stored
    `;
}

/** Writes `rows` of the values at `places`, as `written`; a change of one row needs none where its places are parameters. */
export function writeSql(model: Model, shape: WriteShape, places: Places, rows?: string): string {
  const table = `${quoted(model.table)} AS written`;
  if (shape.operation === 'create') {
    const values = model.columns.map((column, index) => places.valueAt(index, column));
    return `INSERT INTO ${table} (${namesOf(model)})
      SELECT ${values.join(', ')} FROM ${rows}`;
  }
  const [change, from] =
    shape.operation === 'update'
      ? [`UPDATE ${table} SET ${assignments(model, shape, places)}`, 'FROM']
      : [`DELETE FROM ${table}`, 'USING'];
  return `${rows === undefined ? change : `${change} ${from} ${rows}`}
      WHERE written.${idOf(model)} = ${places.id}`;
}

export function namesOf({ columns }: Model): string {
  return columns.map(({ column }) => quoted(column)).join(', ');
}

function idOf(model: Model): string {
  return quoted(columnOf(model, model.id).column);
}

/** What an update sets of `written`. */
function assignments(model: Model, shape: WriteShape, places: Places): string {
  const values = newValues(model, shape, 'written', places);
  // An update of nothing leaves a row as it is.
  return values.size === 0
    ? `${idOf(model)} = written.${idOf(model)}`
    : Array.from(values, ([column, value]) => `${quoted(column)} = ${value}`).join(', ');
}

/** What an update stores, by the names of columns. */
function newValues(
  { columns }: Model,
  { set }: WriteShape,
  reference: string,
  { valueAt, now }: Places,
): ReadonlyMap<string, string> {
  const values = new Map(
    set.map(({ column, pgType, isList }, index) => [column, valueAt(index, { pgType, isList })]),
  );
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

/** Whether a write stores the time itself. */
export function storesTime({ columns }: Model, { set }: WriteShape): boolean {
  return (
    set.length > 0 &&
    columns.some((column) => column.onUpdate !== undefined && !set.includes(column))
  );
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
  { set, conditions }: WriteShape,
  reference: string,
  { valueAt, now }: Places,
): string {
  const times = now === undefined ? 'as they are' : 'in UTC';
  return conditions
    .map(({ column, pgType, compared }, index) => {
      const value = valueAt(set.length + index, { pgType, isList: column.isList });
      return `AND ${compared(`${reference}.${quoted(column.column)}`, times)} IS NOT DISTINCT FROM ${value}`;
    })
    .join('\n        ');
}

/** The parameters that come first of writes under idempotency keys. */
function keyParameters(operation: WriteOperation): readonly Parameter[] {
  return [
    { name: 'key_id', pgType: 'bigint' },
    { name: 'key', pgType: 'text' },
    ...(operation === 'create' ? [] : [{ name: 'fingerprint', pgType: 'text' }]),
  ];
}

/** The parameters KEYS of writes under idempotency keys; none of others. */
export function keyLists(writes: readonly RequestedWrite[]): (string | null)[][] {
  const keyed = writes.flatMap(({ once }) =>
    once === undefined ? [] : [[String(once.key.keyId), once.key.name, once.fingerprint]],
  );
  const { operation } = commonShape(writes);
  return keyed.length === 0 ? [] : listsOf(keyParameters(operation).length, keyed);
}

/** The parameters by which it is found what keys were taken for. */
export function requestLists(writes: readonly RequestedWrite[]): (string | null)[][] {
  const isCreate = commonShape(writes).operation === 'create';
  return [...keyLists(writes), ...(isCreate ? valueLists(writes) : [])];
}

/** The parameters that are stored, then those of the conditions. */
export function valueLists(writes: readonly RequestedWrite[]): (string | null)[][] {
  const rows = writes.map(({ write: { values } }) => values);
  return listsOf(valuesOf(commonShape(writes)).length, rows);
}

/** Lists of the first values of rows, of the second, and so on. */
export function listsOf(
  count: number,
  rows: readonly (readonly (string | null)[])[],
): (string | null)[][] {
  return Array.from({ length: count }, (_list, index) => rows.map((row) => row[index] ?? null));
}

/** What a key is taken for: an object, as whatever looks a key up expects. That of a create has the values that were given. */
function requestOf({ columns }: Model, operation: WriteOperation): string {
  return operation === 'create'
    ? jsonObject(columns.map((column, index) => [column, valueOf(column, `p${index}`)]))
    : `jsonb_build_object('fingerprint', fingerprint)`;
}

/** The row of a create, as what was given and what was generated. */
function createdRow(values: readonly (readonly [Column, string])[]): string {
  return `request || ${jsonObject(values.filter(([{ generated }]) => generated !== undefined))}`;
}

/**
 * Takes keys that are free, or were taken more than a day ago. A key that another transaction is taking is waited for, by
 * the unique index.
 *
 * @param row as JSON, for replays
 * @param rows with the columns key_id, key and request
 */
function takeKeys(model: Model, operation: WriteOperation, row: string, rows: string): string {
  return `taken AS (
      INSERT INTO _gateway_idempotency_keys AS earlier (key_id, name, model, request, "row")
      SELECT key_id, key, ${literal(takenFor(model, operation))}, request, ${row}
      FROM ${rows} ORDER BY key_id, key
      ON CONFLICT (key_id, name) DO UPDATE
        SET model = excluded.model, request = excluded.request, "row" = excluded."row",
          created_at = excluded.created_at
        WHERE earlier.created_at < now() - interval '1 day'
      RETURNING key_id, earlier.name AS key
    )`;
}

function takenFor({ name }: Model, operation: WriteOperation): string {
  return operation === 'create' ? name : `${name}.${operation}`;
}

const FOUND = { create: 'Created', update: 'Updated', delete: 'Deleted' };

/**
 * Finds what keys were taken for: the numbers of those that were taken for something else, then those that were taken
 * for the same, and their rows as they were then. A column that the table has got since is as the table has it. The keys are
 * locked, because a commit waits for a synchronous standby only after it has written something: what was done under them may
 * not be confirmed by one yet.
 *
 * @param isSharded whether the table isn't asked: before their rows, the statement gives what keys were taken for as JSON, by the
 *   numbers
 */
export function takenStatement(
  model: Model,
  operation: WriteOperation,
  isSharded: boolean,
): Statement {
  const isCreate = operation === 'create';
  const parameters = [
    ...keyParameters(operation),
    ...(isCreate ? columnParameters(model.columns, 'p') : []),
  ];
  const [earlier, now] = ['earlier.request', 'requested.request'].map((request) =>
    isCreate ? comparable(request, model) : request,
  );
  // Before a create finds a key taken, it has tried to take it.
  const isTaken = isCreate ? '' : ` AND earlier.created_at >= now() - interval '1 day'`;
  const { column, pgType } = columnOf(model, model.id);
  // Citus replaces a table that it distributes, and its type: a prepared statement would still have the dropped one.
  const entry = isSharded
    ? `CROSS JOIN LATERAL jsonb_to_record(taken."row")
      AS entry (${model.columns.map((each) => `${quoted(each.column)} ${each.pgType}`).join(', ')})`
    : `LEFT JOIN ${quoted(model.table)} AS present
      ON present.${quoted(column)} = (taken."row" ->> ${literal(column)})::${pgType}
    CROSS JOIN LATERAL jsonb_populate_record(present, taken."row") AS entry`;
  return {
    name: `${model.name}.find${FOUND[operation]}`,
    // Planned by what the tables have by now: a plan that was kept while they had little would read all that they have got since.
    preparedAs: '',
    text: `
    WITH taken AS MATERIALIZED (
      SELECT number, "row", model = ${literal(takenFor(model, operation))} AND ${earlier} = ${now} AS same
      FROM (
        SELECT number, key_id, key, ${requestOf(model, operation)} AS request FROM ${parameterRows(parameters, 'several')}
      ) AS requested
      JOIN _gateway_idempotency_keys AS earlier ON (earlier.key_id, earlier.name) = (requested.key_id, key)${isTaken}
      FOR KEY SHARE OF earlier
    )
    SELECT (SELECT string_agg(number::text, ',') FROM taken WHERE NOT same),
      ${isSharded ? 'json_object_agg(taken.number, taken."row"), ' : ''}${numberedRows(model, 'entry', 'taken.number')}
    FROM taken
    ${entry}
    WHERE taken.same`,
  };
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

/**
 * No function takes as many arguments as a table may have columns.
 *
 * @param times in UTC for what is compared: it is the same whatever the session's time zone
 */
function jsonObject(
  members: readonly (readonly [column: Column, value: string])[],
  times: 'in UTC' | 'as they are' = 'in UTC',
): string {
  const inJson = times === 'in UTC' ? withTimesInUtc : withoutArrays;
  const values = members.map(
    ([column, value]) => `${inJson(column, value)} AS ${quoted(column.column)}`,
  );
  return `(SELECT to_jsonb(object.*) FROM (SELECT ${values.join(', ')}) AS object)`;
}

function withTimesInUtc(column: Column, value: string): string {
  if (typeOf(column).time !== 'with time zone') {
    return withoutArrays(column, value);
  }
  return column.isList === true
    ? `ARRAY(SELECT ${textInUtc('item')} FROM unnest(${value}) WITH ORDINALITY AS items (item, number) ORDER BY number)`
    : textInUtc(value);
}

/** Arrays within an array of JSON would be taken for further dimensions of it. */
function withoutArrays(column: Column, value: string): string {
  return column.isList === true && typeOf(column).json === 'any' ? `${value}::text` : value;
}

function textInUtc(value: string): string {
  return `(to_jsonb(${value} AT TIME ZONE 'UTC') #>> '{}') || 'Z'`;
}
