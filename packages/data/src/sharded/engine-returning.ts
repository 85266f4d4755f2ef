const NAME = '"(?:[^"]|"")+"';
const WRITE = new RegExp(
  `^((?:INSERT INTO|UPDATE|DELETE FROM) ((?:${NAME}\\.)?${NAME}) .*) RETURNING ((?:\\2\\.${NAME}(?:::text(?:\\[\\])?)?(?:, |$))+)$`,
  's',
);

/** A statement of the engine. */
interface Query {
  /** With placeholders. */
  readonly sql: string;
}

/** What of a driver adapter, or of one of its transactions, runs statements of Prisma's engine. */
interface EngineQueryable<Given extends Query, Result> {
  /** Its rows. */
  queryRaw: (query: Given) => Promise<Result>;
}

/**
 * Has Citus run writes of Prisma's engine that return enums: the engine casts them to texts, by what isn't immutable, and
 * Citus takes no such thing in RETURNING. So they are cast afterwards.
 */
export function castAfterReturning<Given extends Query, Result>(
  queryable: EngineQueryable<Given, Result>,
): void {
  const queryRaw = queryable.queryRaw.bind(queryable);
  queryable.queryRaw = (query) => queryRaw({ ...query, sql: castAfter(query.sql) });
}

function castAfter(sql: string): string {
  const [, write, table = '', returned = ''] = sql.includes('::text')
    ? (WRITE.exec(sql) ?? [])
    : [];
  return write === undefined || !returned.includes('::text')
    ? sql
    : `WITH written AS (${write} RETURNING *) SELECT ${returned.replaceAll(`${table}.`, 'written.')} FROM written`;
}
