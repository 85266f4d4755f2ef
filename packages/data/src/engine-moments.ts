import { MAX_TIME } from './types.ts';

/** Rows of a statement of the engine. Moments are texts, as the driver adapter has written them. */
interface EngineRows {
  /** By `ColumnTypeEnum` of @prisma/driver-adapter-utils. */
  readonly columnTypes: readonly number[];
  readonly rows: unknown[][];
}

/** A statement of the engine. */
interface EngineQuery {
  readonly args: readonly unknown[];
  readonly argTypes: readonly { readonly scalarType: string }[];
}

/** A connection or transaction that runs queries for Prisma's engine. */
interface Queryable<Given extends EngineQuery, Result extends EngineRows> {
  /** Returns rows. */
  queryRaw: (query: Given) => Promise<Result>;
  /** Returns the number of changed rows. */
  executeRaw: (query: Given) => Promise<number>;
}

/** A driver adapter's connection to the database. */
interface Connection<
  Given extends EngineQuery,
  Result extends EngineRows,
  Options extends unknown[],
  Transaction extends Queryable<Given, Result>,
> extends Queryable<Given, Result> {
  /** Begins a transaction with an isolation level. */
  startTransaction: (...options: Options) => Promise<Transaction>;
}

/** `Date`, `DateTime`, and lists of both. */
const MOMENTS = new Set([8, 10, 72, 74]);

/**
 * Has Prisma's engine read moments before the year 1 and after 9999, and `infinity`, as statements do, and write what it has read:
 * PostgreSQL and JavaScript don't parse each other's texts of them.
 *
 * @internal
 */
export function acceptFarMoments<
  Given extends EngineQuery,
  Result extends EngineRows,
  Options extends unknown[],
  Transaction extends Queryable<Given, Result>,
>(connection: Connection<Given, Result, Options, Transaction>): void {
  acceptIn(connection);
  const start = connection.startTransaction.bind(connection);
  connection.startTransaction = async (...options) => {
    const transaction = await start(...options);
    acceptIn(transaction);
    return transaction;
  };
}

function acceptIn<Given extends EngineQuery, Result extends EngineRows>(
  queryable: Queryable<Given, Result>,
): void {
  const queryRaw = queryable.queryRaw.bind(queryable);
  const executeRaw = queryable.executeRaw.bind(queryable);
  queryable.executeRaw = (query) => executeRaw(writable(query));
  queryable.queryRaw = async (query) => {
    const result = await queryRaw(writable(query));
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

function writable<Given extends EngineQuery>(query: Given): Given {
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
