import { randomUUID } from 'node:crypto';
import { inspect, isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import { membersOf } from '../src/calls.ts';
import { callEngine } from '../src/prisma-internals.ts';
import { openClients } from './clients.ts';

/** A client call: the model, the method and the arguments. */
export type Call = readonly [model: string, operation: string, args: object];

type Client = Awaited<ReturnType<typeof openClients>>['batched'];

/** Makes a call. @returns its result, or the parts of its error that callers may depend on */
export async function outcomeOf(client: Client, [model, operation, args]: Call): Promise<object> {
  try {
    return { result: await callEngine(client, model, operation, args) };
  } catch (error) {
    const [name, message] = [at(error, 'name'), String(at(error, 'message'))];
    const { modelName, operation: what, ...others } = { ...membersOf(at(error, 'meta')) };
    return {
      name,
      code: at(error, 'code'),
      meta: { modelName, what, names: Object.keys(others) },
      cause: inspect(at(others, 'driverAdapterError', 'cause')).replaceAll(...NARROWER),
      // All lines before the last quote the caller's source and the arguments.
      text:
        name === 'PrismaClientValidationError'
          ? ''
          : message.replaceAll(...NARROWER).replace(/^.*\n/s, ''),
    };
  }
}

/** Statements send numbers with the type that Prisma's schema declares, even if the column's type is narrower. */
const NARROWER = [
  /value "-?\d+" is out of range for type smallint/g,
  'smallint out of range',
] as const;

function at(value: unknown, ...names: readonly string[]): unknown {
  return names.reduce<unknown>(
    (inner, name) => (inner instanceof Object ? Reflect.get(inner, name) : undefined),
    value,
  );
}

/** The outcome as text, which also distinguishes types, the order of keys, and -0. */
function textOf(outcome: object): string {
  const all = { depth: Infinity, maxArrayLength: Infinity, maxStringLength: Infinity };
  return inspect(outcome, { ...all, breakLength: Infinity });
}

function expectSameOutcome(call: Call, own = {}, other = {}, isReplay = false): void {
  // In a replay, the keys of JSON objects are in jsonb's order.
  const isSame = isReplay || textOf(own) === textOf(other);
  if (!isSame || !isDeepStrictEqual(own, other)) {
    expect([call, own]).toStrictEqual([call, other]);
    expect([call, textOf(own)]).toEqual([call, textOf(other)]);
    expect.fail('the values are the same, but not the objects');
  }
}

async function inTurn<Item, Result>(
  items: readonly Item[],
  run: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const item of items) {
    results.push(await run(item));
  }
  return results;
}

/**
 * How the extended client makes calls that statements run: all at once, so that they are batched; all at once with idempotency
 * keys for the writes, and then all a second time; or one after the other.
 */
export type Way = 'together' | 'under keys' | 'alone';

const WRITES = new Set(['create', 'update', 'delete']);

/** Opens two equal databases: Prisma's engine alone changes one, and the extended client changes the other. */
export async function openBoth(way: Way, ...database: Parameters<typeof openClients>) {
  const theirs = await openClients(...database);
  const ours = await openClients(...database);

  /** Makes the same calls with both clients, and compares the outcomes. */
  async function expectSame(calls: readonly Call[], by: 'statements' | 'engine'): Promise<void> {
    const expected = await inTurn(calls, (call) => outcomeOf(theirs.engine, call));
    ours.answeredBy.length = 0;
    ours.answeredCalls.length = 0;
    const isByStatements = by === 'statements';
    const runs = calls.map((call) => {
      const isKeyed = isByStatements && way === 'under keys' && WRITES.has(call[1]);
      const client = isKeyed ? ours.under(randomUUID()) : ours.batched;
      return () => outcomeOf(client, call);
    });
    let answers = 0;
    for (const isReplay of isByStatements && way === 'under keys' ? [false, true] : [false]) {
      const found =
        isByStatements && way !== 'alone'
          ? await Promise.all(runs.map((run) => run()))
          : // Prisma's client would combine concurrent finds.
            await inTurn(runs, (run) => run());
      for (const [index, call] of calls.entries()) {
        expectSameOutcome(call, found[index], expected[index], isReplay);
      }
      // Calls that PostgreSQL rejects don't count as answered.
      answers += found.filter((each) => 'result' in each || at(each, 'code') === 'P2025').length;
    }
    expect({
      engine: ours.answeredBy.filter((name) => name.startsWith('engine')).length,
      statements: ours.answeredCalls.length,
    }).toEqual({
      engine: isByStatements ? 0 : calls.length,
      statements: isByStatements ? answers : 0,
    });
  }

  /** Runs SQL on both databases. @returns the rows */
  async function query(sql: string): Promise<unknown[][]> {
    const [own, other] = await Promise.all([ours.pool.query(sql), theirs.pool.query(sql)]);
    return [own.rows, other.rows];
  }

  /** Removes all rows of a table from both databases. @returns the rows as texts */
  async function takeRows(table: string): Promise<unknown[][]> {
    // The engine writes 1e21 where JavaScript writes 1e+21.
    const rows = `SELECT replace(stored::text, 'e+', 'e') FROM "${table}" AS stored ORDER BY 1`;
    const found = await query(rows);
    await query(`DELETE FROM "${table}"`);
    return found;
  }

  const close = async () => {
    await Promise.all([theirs.close(), ours.close()]);
  };
  return { ours, expectSame, takeRows, query, close };
}

const [SHELF, OTHER_SHELF, ITEM] = [1, 2, 3].map(
  (digit) => `00000000-0000-0000-0000-00000000000${digit}`,
);
const TAKEN = { name: 'taken', email: 'taken' };

/** Rows that the violating calls conflict with. */
export const ROWS: readonly Call[] = [
  ['author', 'create', { data: { id: 1, ...TAKEN } }],
  ['author', 'create', { data: { id: 2, name: 'free', email: 'free' } }],
  ['book', 'create', { data: { id: 1, title: 'first', authorId: 1, editorId: 1 } }],
  ['shelf', 'create', { data: { id: SHELF } }],
  ['shelf', 'create', { data: { id: OTHER_SHELF } }],
  ['item', 'create', { data: { id: ITEM, shelfId: SHELF } }],
  [
    'defaulted',
    'create',
    { data: { id: 'first', createdAt: new Date(0), updatedAt: new Date(0) } },
  ],
];

/** Changes that a store's owner may make to tables without declaring them in Prisma's schema. */
export const CONSTRAINTS = [
  `ALTER TABLE "Author" ADD CONSTRAINT no_rats CHECK (name <> 'rat')`,
  'ALTER TABLE "Author" ALTER name TYPE varchar(8)',
  'ALTER TABLE "Book" ALTER editor_id TYPE smallint',
  'ALTER TABLE "Book" ALTER editor_id SET NOT NULL',
  'ALTER TABLE "Book" ALTER title TYPE char(5)',
  'ALTER TABLE "Defaulted" ALTER price TYPE numeric(5, 2)',
  'ALTER TABLE "Defaulted" ALTER "number" TYPE smallint',
  `ALTER TYPE level_type RENAME VALUE 'high' TO 'higher'`,
];

/** Constraints and triggers that Citus tables don't support. */
export const MORE_CONSTRAINTS = `
  CREATE UNIQUE INDEX alike ON "Author" (lower(email));
  ALTER TABLE "Author" ADD CONSTRAINT apart EXCLUDE ((length(email)) WITH =) WHERE (email LIKE 'x%');
  CREATE FUNCTION object() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    RAISE EXCEPTION 'not on %', NEW.title USING ERRCODE = NEW.title, DETAIL = 'a detail', HINT = 'a hint';
  END $$;
  CREATE TRIGGER object BEFORE UPDATE ON "Book" FOR EACH ROW EXECUTE FUNCTION object();
  ALTER TABLE "Item" ADD CONSTRAINT again FOREIGN KEY (shelf_id) REFERENCES "Shelf" ON DELETE RESTRICT
    DEFERRABLE INITIALLY DEFERRED`;

const createAuthor = (data: object): Call => [
  'author',
  'create',
  { data: { id: 9, ...TAKEN, ...data } },
];
const updateAuthor = (data: object): Call => ['author', 'update', { where: { id: 2 }, data }];
const book = (data: object): Call => [
  'book',
  'create',
  { data: { id: 9, title: 'x', authorId: 1, editorId: 1, ...data } },
];
const defaulted = (data: object): Call => [
  'defaulted',
  'create',
  { data: { id: 'x', createdAt: new Date(0), updatedAt: new Date(0), ...data } },
];

/** Calls that each violate a different constraint. */
export const VIOLATIONS: readonly Call[] = [
  createAuthor({}),
  createAuthor({ id: 1, email: 'other' }),
  updateAuthor({ email: 'taken' }),
  createAuthor({ email: 'other', name: 'rat' }),
  updateAuthor({ name: 'rat' }),
  createAuthor({ email: 'other', name: 'x'.repeat(9) }),
  updateAuthor({ name: '😀'.repeat(9) }),
  book({ editorId: null }),
  book({ editorId: undefined }),
  book({ editorId: 70_000 }),
  book({ title: 'longer' }),
  book({ id: 1 }),
  ['book', 'update', { where: { id: 1 }, data: { editorId: null } }],
  ['book', 'update', { where: { id: 1 }, data: { editorId: -70_000 } }],
  defaulted({ price: '1000' }),
  defaulted({ price: '1e200000' }),
  defaulted({ number: 70_000 }),
  defaulted({ level: 'high' }),
  defaulted({ id: 'first' }),
  ['defaulted', 'update', { where: { id: 'first' }, data: { level: 'high' } }],
  ['defaulted', 'update', { where: { id: 'first', price: '1e200000' }, data: { level: 'low' } }],
  ['defaulted', 'delete', { where: { id: 'first', price: '1e200000' } }],
  ['item', 'create', { data: { id: OTHER_SHELF, shelfId: ITEM } }],
  ['item', 'create', { data: { id: ITEM, shelfId: SHELF } }],
  ['item', 'update', { where: { id: ITEM }, data: { shelfId: ITEM } }],
  ['shelf', 'delete', { where: { id: SHELF } }],
];

export const MORE_VIOLATIONS: readonly Call[] = [
  createAuthor({ email: 'TAKEN' }),
  updateAuthor({ email: 'Taken' }),
  ...['P0001', '23514', '22023', 'ZZ001', '23505', '23503', '40001'].map((title): Call => [
    'book',
    'update',
    { where: { id: 1 }, data: { title } },
  ]),
];

/** Calls for a row that doesn't exist. */
export const MISSES: readonly Call[] = [
  ['author', 'findUniqueOrThrow', { where: { id: 99 } }],
  ['author', 'update', { where: { id: 99 }, data: { name: 'x' } }],
  ['author', 'update', { where: { id: 2, name: 'other' }, data: { name: 'x' } }],
  ['author', 'update', { where: { id: 2, NOT: { id: 2 } }, data: { name: 'x' } }],
  ['author', 'delete', { where: { id: 99 } }],
  ['author', 'delete', { where: { id: 2, name: 'other' } }],
  ['shelf', 'delete', { where: { id: ITEM } }],
];
