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

/** The properties that all writes of a statement share. */
export interface WriteShape {
  /** Identifies the shape among a model's shapes; '' for all creates. */
  readonly name: string;
  readonly operation: WriteOperation;
  /** The columns that the write sets; for a create, all columns in their order. */
  readonly set: readonly Column[];
  /** The conditions that a row must meet to be changed. */
  readonly conditions: readonly Condition[];
}

/** A write of one row. */
export interface Write {
  readonly shape: WriteShape;
  /** The id of the row to change; null if the conditions never hold, and for a create, whose id is among its values. */
  readonly id: string | null;
  /** The stored values (null for those that the database generates), followed by the values of the conditions. */
  readonly values: readonly (string | null)[];
}

/** A caller's name for a write. The name is valid for a day. Names from different callers don't conflict. */
export interface IdempotencyKey {
  readonly keyId: bigint;
  readonly name: string;
}

interface Once {
  readonly key: IdempotencyKey;
  /**
   * Identifies the request for a change, which a replay must repeat; '' for a create, because the replay of a create must repeat
   * the values.
   */
  readonly fingerprint: string;
  /** Whether to only return an earlier result, without writing. */
  readonly isReplayOnly: boolean;
}

/** A write to make. */
export interface RequestedWrite {
  readonly write: Write;
  /** The write's entry in the audit log. */
  readonly audit?: AuditEntry | undefined;
  /** The idempotency key under which the write is made. */
  readonly once?: Once | undefined;
}

/** The result of a write. */
export interface Written {
  /** The row as of the first write; undefined if the key was used for a different request, or the row can no longer be read. */
  readonly row: Row | undefined;
  /** Whether the write had already been made. */
  readonly isReplay: boolean;
  /** Whether the table's column types have changed since the write, so that the written row no longer fits the table. */
  readonly isOutdated?: true;
}

/** Makes one write. Returns undefined if no row was changed. */
export type MakeWrite = (requested: RequestedWrite) => Promise<Written | undefined>;

/**
 * Makes writes of one shape. A write with an idempotency key is made only if the key is unused. Resolves with the rows, at the
 * indexes of their requests.
 */
export type WriteBatch = (
  writes: readonly RequestedWrite[],
) => Promise<readonly (Row | undefined)[]>;

/** Returns the shape that all of these writes have. @throws TypeError if there are none */
export function commonShape([first]: readonly RequestedWrite[]): WriteShape {
  if (first === undefined) {
    throw new TypeError('there is nothing to write');
  }
  return first.write.shape;
}

/** Returns a unique name for a write's idempotency key; '' if it has none. */
export function nameOfKey({ once }: RequestedWrite): string {
  return once === undefined ? '' : `${once.key.keyId} ${once.key.name}`;
}

/** The steps that a write performs in addition to writing its row. */
export interface Stages {
  /** Whether the write claims an idempotency key, and is made only if the key is unused. */
  readonly isOnce: boolean;
  /** Whether the write records the row in the audit log. */
  readonly isAudited: boolean;
}

/** SQL for the id of a row to change, for the stored or compared values by index, and for the time. */
interface Places {
  readonly id: string;
  readonly valueAt: (index: number, column: StoredValue) => string;
  /** The current time, with a time zone. Defaults to the column's own expression, which Citus doesn't allow. */
  readonly now?: string;
}

/** How a value is stored or, for a condition, compared. */
type StoredValue = Omit<Parameter, 'name'> & Pick<Column, 'generated'>;

/** References to the columns of `parameters`, which are named `id`, p0, p1 and so on, so that no two names are the same. */
const IN_PARAMETERS: Places = { id: 'parameters.id', valueAt: storedValue };

/** References to the columns of `requested`: `id`, v0, v1 and so on. */
const IN_REQUESTED: Places = { id: 'requested.id', valueAt: (index) => `requested.v${index}` };

function storedValue(index: number, { generated, ...column }: StoredValue): string {
  const value = valueOf(column, `parameters.p${index}`);
  return generated === undefined ? value : `coalesce(${value}, ${generated})`;
}

/**
 * Returns the statements for writes of one shape. Each statement is one transaction. Depending on the stages, it has these
 * CTEs: `requested`, `locked` (the rows to change), `taken` (the claimed keys), `written` (the rows) and `audited` (their audit
 * log entries).
 *
 * Ids of new rows are generated in `requested`, because an INSERT may return its rows in any order: a row's number in the batch
 * is found by its id. Rows to change are locked in the order of their ids, and keys are claimed in their order, so that
 * statements cannot deadlock; a batch contains each row and each key at most once. Rows are locked before keys are claimed, so
 * that a key is claimed only for a row whose conditions hold, and the resulting row is known.
 *
 * @param isWritten whether the rows are already written on shards. If so, they are the last parameters, and the values of
 *   creates are parameters only if keys are claimed for them
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
    ...(isOnce ? [claimKeys(model, operation, row, rows)] : []),
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

/** Returns the name of a write in metrics and traces. */
function nameOf({ name }: Model, operation: WriteOperation, stages: Stages): string {
  return `${name}.${operation}All${stages.isOnce ? 'Once' : ''}${stages.isAudited ? 'Audited' : ''}`;
}

/** Returns the stored values of a write. The values of a change are never generated. */
function valuesOf({ operation, set, conditions }: WriteShape): readonly StoredValue[] {
  return operation === 'create'
    ? set
    : [
        ...set.map(({ pgType, isList }) => ({ pgType, isList })),
        ...conditions.map(({ pgType, column: { isList } }) => ({ pgType, isList })),
      ];
}

/** Returns a parameter for each value, named by a letter and the value's index. */
function columnParameters(columns: readonly StoredValue[], letter: string): Parameter[] {
  return columns.map(({ pgType, isList }, index) => ({
    name: `${letter}${index}`,
    pgType,
    isList,
  }));
}

/**
 * Locks the rows, called `stored`, for which the conditions hold. If another transaction is changing a row, the statement waits
 * and checks the changed row.
 */
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

/**
 * Returns SQL that writes `rows` with the values at `places`, as `written`. A change of one row doesn't need `rows` if its
 * places are parameters.
 */
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

/** Returns the assignments of an update to `written`. */
function assignments(model: Model, shape: WriteShape, places: Places): string {
  const values = newValues(model, shape, 'written', places);
  // An update without values leaves the row unchanged.
  return values.size === 0
    ? `${idOf(model)} = written.${idOf(model)}`
    : Array.from(values, ([column, value]) => `${quoted(column)} = ${value}`).join(', ');
}

/** Returns the values that an update stores, by column name. */
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

/** Whether a change updates an `@updatedAt` column that its data doesn't set. */
export function storesTime({ columns }: Model, { set }: WriteShape): boolean {
  return (
    set.length > 0 &&
    columns.some((column) => column.onUpdate !== undefined && !set.includes(column))
  );
}

/**
 * Returns the time in milliseconds, as Prisma's engine stores it. For a second change within a millisecond, it is one
 * millisecond after the stored time, so that any two states of a row differ in the column.
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

/** Returns the first parameters of writes under idempotency keys. */
function keyParameters(operation: WriteOperation): readonly Parameter[] {
  return [
    { name: 'key_id', pgType: 'bigint' },
    { name: 'key', pgType: 'text' },
    ...(operation === 'create' ? [] : [{ name: 'fingerprint', pgType: 'text' }]),
  ];
}

/** Returns the key parameters of writes under idempotency keys; none for others. */
export function keyLists(writes: readonly RequestedWrite[]): (string | null)[][] {
  const keyed = writes.flatMap(({ once }) =>
    once === undefined ? [] : [[String(once.key.keyId), once.key.name, once.fingerprint]],
  );
  const { operation } = commonShape(writes);
  return keyed.length === 0 ? [] : listsOf(keyParameters(operation).length, keyed);
}

/** Returns the parameters for looking up the requests that keys were claimed for. */
export function requestLists(writes: readonly RequestedWrite[]): (string | null)[][] {
  const isCreate = commonShape(writes).operation === 'create';
  return [...keyLists(writes), ...(isCreate ? valueLists(writes) : [])];
}

/** Returns the parameters for the stored values, then those for the conditions. */
export function valueLists(writes: readonly RequestedWrite[]): (string | null)[][] {
  const rows = writes.map(({ write: { values } }) => values);
  return listsOf(valuesOf(commonShape(writes)).length, rows);
}

/** Transposes rows: returns the list of their first values, of their second values, and so on. */
export function listsOf(
  count: number,
  rows: readonly (readonly (string | null)[])[],
): (string | null)[][] {
  return Array.from({ length: count }, (_list, index) => rows.map((row) => row[index] ?? null));
}

/**
 * Returns SQL for the request that a key is claimed for: an object, as all lookups of keys expect. For a create, it contains the
 * given values.
 */
function requestOf({ columns }: Model, operation: WriteOperation): string {
  return operation === 'create'
    ? jsonObject(columns.map((column, index) => [column, valueOf(column, `p${index}`)]))
    : `jsonb_build_object('fingerprint', fingerprint)`;
}

/** Returns SQL for a created row: its given and its generated values. */
function createdRow(values: readonly (readonly [Column, string])[]): string {
  return `request || ${jsonObject(values.filter(([{ generated }]) => generated !== undefined))}`;
}

/**
 * Claims keys that are unused, or were claimed more than a day ago. The INSERT waits for any other transaction that is claiming
 * the same key.
 *
 * @param row SQL for the row as JSON, for replays
 * @param rows SQL for rows with the columns key_id, key and request
 */
function claimKeys(model: Model, operation: WriteOperation, row: string, rows: string): string {
  return `taken AS (
      INSERT INTO _gateway_idempotency_keys AS earlier (key_id, name, model, request, "row")
      SELECT key_id, key, ${literal(claimModel(model, operation))}, request, ${row}
      FROM ${rows} ORDER BY key_id, key
      ON CONFLICT (key_id, name) DO UPDATE
        SET model = excluded.model, request = excluded.request, "row" = excluded."row",
          created_at = excluded.created_at
        WHERE earlier.created_at < now() - interval '1 day'
      RETURNING key_id, earlier.name AS key
    )`;
}

function claimModel({ name }: Model, operation: WriteOperation): string {
  return operation === 'create' ? name : `${name}.${operation}`;
}

const FOUND = { create: 'Created', update: 'Updated', delete: 'Deleted' };

/**
 * Looks up the claims of keys: the numbers of keys that were claimed for a different request, the numbers of keys that were
 * claimed for this request, and their rows as of the claim. Columns that were added later have the table's current values. The
 * statement locks the keys. A lock counts as a write, so the commit waits for a synchronous standby, which may not have
 * confirmed the earlier writes yet.
 *
 * @param isSharded whether to avoid reading the table. If so, the statement first returns the rows that are stored with the
 *   keys, as JSON by number
 */
export function claimStatement(
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
  // A create has already tried to claim the key, which succeeds if the key has expired.
  const isTaken = isCreate ? '' : ` AND earlier.created_at >= now() - interval '1 day'`;
  const { column, pgType } = columnOf(model, model.id);
  // Citus replaces a table that it distributes, along with the table's row type: a prepared statement would still use the
  // dropped type.
  const entry = isSharded
    ? `CROSS JOIN LATERAL jsonb_to_record(taken."row")
      AS entry (${model.columns.map((each) => `${quoted(each.column)} ${each.pgType}`).join(', ')})`
    : `LEFT JOIN ${quoted(model.table)} AS present
      ON present.${quoted(column)} = (taken."row" ->> ${literal(column)})::${pgType}
    CROSS JOIN LATERAL jsonb_populate_record(present, taken."row") AS entry`;
  return {
    name: `${model.name}.find${FOUND[operation]}`,
    // Planned for the current size of the tables: a plan that was cached while they were small would read all rows that were
    // added later.
    preparedAs: '',
    text: `
    WITH taken AS MATERIALIZED (
      SELECT number, "row", model = ${literal(claimModel(model, operation))} AND ${earlier} = ${now} AS same
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

/**
 * Returns SQL for a request in comparable form: a column that was omitted, or didn't exist yet, equals null or its constant
 * default. Nulls inside JSON are preserved.
 */
function comparable(request: string, { columns }: Model): string {
  const constants = columns.flatMap((column): [Column, string][] => {
    const { constant, pgType } = column;
    return constant === undefined ? [] : [[column, `${literal(constant)}::${pgType}`]];
  });
  return `${jsonObject(constants)} || coalesce(
          (SELECT jsonb_object_agg(key, value) FROM jsonb_each(${request}) WHERE value <> 'null'), '{}')`;
}

/**
 * Returns SQL for a JSON object. It converts a row with `to_jsonb`, because no function accepts as many arguments as a table
 * may have columns.
 *
 * @param times `in UTC` for JSON that is compared, so that it doesn't depend on the session's time zone
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

/** Selects arrays of JSON as text, because within an array, JSON arrays would be read as further dimensions. */
function withoutArrays(column: Column, value: string): string {
  return column.isList === true && typeOf(column).json === 'any' ? `${value}::text` : value;
}

function textInUtc(value: string): string {
  return `(to_jsonb(${value} AT TIME ZONE 'UTC') #>> '{}') || 'Z'`;
}
