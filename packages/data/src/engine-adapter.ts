import type { SqlDriverAdapterFactory } from '@prisma/client/runtime/client';
import { MAX_TIME } from './types.ts';

/** A driver adapter's connection to the database. */
type Connection = Awaited<ReturnType<SqlDriverAdapterFactory['connect']>>;

/** A connection or transaction that runs queries for Prisma's engine. */
type Queryable = Pick<Connection, 'queryRaw' | 'executeRaw'>;

type Query = Parameters<Queryable['queryRaw']>[0];

/**
 * Has Prisma's engine read moments before the year 1 and after 9999, and `infinity`, as statements do, and write what it has read:
 * PostgreSQL and JavaScript don't parse each other's texts of them.
 *
 * @param isSharded whether the database is one of Citus now, which is then given no write that it refuses
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
    // Moments are texts, as the driver adapter has written them.
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

/** Of `ColumnTypeEnum` of @prisma/driver-adapter-utils: `Date`, `DateTime`, and lists of both. */
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

/** What pg asks for its text, if it is a moment that the adapter would write otherwise. */
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
 * A write that Citus runs: where one returns enums, the engine casts them to texts, by what isn't immutable, and Citus takes no
 * such thing in RETURNING. So they are cast afterwards.
 */
function castAfter(sql: string): string {
  const [, write, table = '', returned = ''] = sql.includes('::text')
    ? (WRITE.exec(sql) ?? [])
    : [];
  return write === undefined || !returned.includes('::text')
    ? sql
    : `WITH written AS (${write} RETURNING *) SELECT ${returned.replaceAll(`${table}.`, 'written.')} FROM written`;
}
