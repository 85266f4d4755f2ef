import type { SqlDriverAdapterFactory } from '@prisma/client/runtime/client';
import {
  ANSWERED_METHODS,
  type Arguments,
  isPlainObject,
  membersOf,
  methodNamed,
} from './calls.ts';
import { MAX_TIME } from './column-types.ts';
import type { Models } from './model.ts';
import {
  computedFields,
  isOfTransaction,
  omittedFields,
  queryCallbacks,
} from './prisma-internals.ts';

/** Maximum number of rows that a call to Prisma's engine may request. */
const MAX_ENGINE_ROWS = 1000;

/**
 * Returns why Prisma's engine might read an unbounded number of rows for a call, even if it returns only a few; undefined if
 * the number is bounded. The engine applies `distinct`, `cursor` and limits on the relations of several rows only after it has
 * read the rows into memory.
 */
export function unboundedCall(
  models: Models,
  model: string,
  operation: string,
  args: unknown,
): string | undefined {
  const given = membersOf(args) ?? {};
  const call = `${model}.${operation}`;
  const { limit, isOfOne = false } = methodNamed(operation) ?? {};
  if (limit !== undefined && !isLimit(given[limit])) {
    return `${call} needs a ${limit} of 1 to ${MAX_ENGINE_ROWS}`;
  }
  if (operation.startsWith('find') && isAppliedInMemory(given)) {
    return `${call} would read all rows because of distinct or cursor: use where instead`;
  }
  const list = unboundedRelation(models, model, given, isOfOne);
  return list === undefined
    ? undefined
    : `${call} would read all rows of ${list}: order them by the fields of an @@index that begins with the relation's key and ends with the id`;
}

/**
 * Returns the first to-many relation that is read without a limit, such as `Author.books`. To count the related rows of several
 * rows, the engine groups a whole table.
 */
function unboundedRelation(
  models: Models,
  model: string,
  args: Arguments,
  isOfOneRow: boolean,
): string | undefined {
  const selected = membersOf(args['select']) ?? membersOf(args['include']) ?? {};
  if (!isOfOneRow && isPlainObject(selected['_count'] === true ? {} : selected['_count'])) {
    return `the counted relations of ${model}`;
  }
  for (const { field, model: target, isList = false } of models[model]?.relations ?? []) {
    const value = selected[field];
    if (value === undefined || value === null || value === false) {
      continue;
    }
    const given = isPlainObject(value) ? value : {};
    if (isList && !(isOfOneRow && isLimit(given['take']) && !isAppliedInMemory(given))) {
      return `${model}.${field}`;
    }
    const below = unboundedRelation(models, target, given, false);
    if (below !== undefined) {
      return below;
    }
  }
  return undefined;
}

function isLimit(value: unknown): boolean {
  const size = Math.abs(Number(value));
  return typeof value === 'number' && Number.isInteger(value) && size <= MAX_ENGINE_ROWS;
}

function isAppliedInMemory({ distinct, cursor }: Arguments): boolean {
  return distinct !== undefined || cursor !== undefined;
}

const engineOnly = new WeakSet();

/**
 * Marks a query extension's callback that only needs the calls that Prisma's engine handles. `onAnswer` reports the other
 * calls.
 *
 * @param callback also receives whether the call belongs to a transaction
 */
export function ofEngineOnly<Call extends object, Result>(
  callback: (call: Call & { readonly isOfTransaction: boolean }) => Result,
): (call: Call) => Result {
  const marked = (call: Call) => callback({ ...call, isOfTransaction: isOfTransaction(call) });
  engineOnly.add(marked);
  return marked;
}

/**
 * Rejects a client with query extensions, computed fields or omitted columns for a model, because batched statements would
 * bypass them.
 *
 * @param key the model's name in the client
 * @throws TypeError whose message suggests an alternative
 */
export function rejectBypassedExtensions(client: object, key: string, name: string): void {
  const refuse = (what: string): never => {
    throw new TypeError(
      `batched statements would bypass ${what}: don't pass ${name} to batchedModels, so that Prisma's engine handles its calls`,
    );
  };
  for (const operation of ANSWERED_METHODS) {
    if (queryCallbacks(client, key, operation).some((callback) => !engineOnly.has(callback))) {
      refuse(`the query extension of ${name}.${operation}`);
    }
  }
  for (const field of computedFields(client, key)) {
    refuse(`the result extension ${name}.${field}`);
  }
  for (const field of omittedFields(client, key)) {
    refuse(`the client's omit option for ${name}.${field}`);
  }
}

/** A driver adapter's connection to the database. */
type Connection = Awaited<ReturnType<SqlDriverAdapterFactory['connect']>>;

/** A connection or transaction that runs queries for Prisma's engine. */
type Queryable = Pick<Connection, 'queryRaw' | 'executeRaw'>;

type Query = Parameters<Queryable['queryRaw']>[0];

/**
 * Makes Prisma's engine read times before the year 1 and after 9999, and `infinity`, as statements do, and write the same values
 * back. PostgreSQL and JavaScript can't parse each other's text formats of such times.
 *
 * @param isSharded whether the database is currently sharded by Citus; if so, writes that Citus would reject are rewritten
 * @internal
 */
export function adaptEngine(connection: Connection, isSharded: () => boolean): void {
  adapt(connection, isSharded);
  const start = connection.startTransaction.bind(connection);
  connection.startTransaction = async (isolationLevel) => {
    const transaction = await start(isolationLevel);
    adapt(transaction, isSharded);
    return transaction;
  };
}

function adapt(queryable: Queryable, isSharded: () => boolean): void {
  const queryRaw = queryable.queryRaw.bind(queryable);
  const executeRaw = queryable.executeRaw.bind(queryable);
  queryable.executeRaw = (query) => executeRaw(writable(query));
  queryable.queryRaw = async (query) => {
    const given = writable(query);
    const result = await queryRaw(isSharded() ? { ...given, sql: castAfter(given.sql) } : given);
    // Times are texts, in the format of the driver adapter.
    for (const [place, type] of result.columnTypes.entries()) {
      if (MOMENTS.has(type)) {
        for (const row of result.rows) {
          row[place] = parsable(row[place]);
        }
      }
    }
    return result;
  };
}

/** The values of `ColumnTypeEnum` in @prisma/driver-adapter-utils for `Date`, `DateTime`, and lists of either. */
const MOMENTS = new Set<number>([8, 10, 72, 74]);

const NEAR = /^\d{4}-[^B]*$/;
const FAR = /^(?<year>\d+)-(?<day>\d\d-\d\d)(?:T(?<time>[\d:.]+))?(?<era>.*BC)?/;

function parsable(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(parsable);
  }
  if (typeof value !== 'string' || NEAR.test(value)) {
    return value;
  }
  const { year, day, time = '00:00:00', era } = FAR.exec(value)?.groups ?? {};
  const isPast = era !== undefined || value.startsWith('-');
  // 1 BC is the year 0.
  const number = era === undefined ? Number(year) : 1 - Number(year);
  const digits = String(Math.abs(number)).padStart(6, '0');
  const moment = Date.parse(`${number < 0 ? '-' : '+'}${digits}-${day}T${time}Z`);
  const nearest = isPast ? -MAX_TIME : MAX_TIME;
  return new Date(Number.isNaN(moment) ? nearest : moment).toISOString();
}

function writable(query: Query): Query {
  const args = query.args.map((arg, place) =>
    query.argTypes[place]?.scalarType === 'datetime' ? writableMoment(arg) : arg,
  );
  return { ...query, args };
}

/** Wraps a time that the adapter would format differently, so that pg gets the text from the wrapper. */
function writableMoment(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(writableMoment);
  }
  const date = typeof value === 'string' ? new Date(value) : value;
  if (!(date instanceof Date) || Number.isNaN(date.getTime())) {
    return value;
  }
  const year = date.getUTCFullYear();
  return year > 0 && year < 10_000 ? value : { toPostgres: () => textOfFar(date, year) };
}

function textOfFar(date: Date, year: number): string {
  if (Math.abs(date.getTime()) === MAX_TIME) {
    return year > 0 ? 'infinity' : '-infinity';
  }
  const [, inYear = ''] = /^.\d+-(.*)Z$/.exec(date.toISOString()) ?? [];
  const digits = String(year > 0 ? year : 1 - year).padStart(4, '0');
  return `${digits}-${inYear.replace('T', ' ')}${year > 0 ? '' : ' BC'}`;
}

const NAME = '"(?:[^"]|"")+"';
const WRITE = new RegExp(
  `^((?:INSERT INTO|UPDATE|DELETE FROM) ((?:${NAME}\\.)?${NAME}) .*) RETURNING ((?:\\2\\.${NAME}(?:::text(?:\\[\\])?)?(?:, |$))+)$`,
  's',
);

/**
 * Rewrites a write for Citus. If a write returns enums, the engine casts them to text in RETURNING. Citus rejects that, because
 * the cast isn't immutable, so the enums are cast in an outer query.
 */
function castAfter(sql: string): string {
  const [, write, table = '', returned = ''] = sql.includes('::text')
    ? (WRITE.exec(sql) ?? [])
    : [];
  return write === undefined || !returned.includes('::text')
    ? sql
    : `WITH written AS (${write} RETURNING *) SELECT ${returned.replaceAll(`${table}.`, 'written.')} FROM written`;
}
