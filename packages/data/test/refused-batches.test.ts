import { afterAll, beforeEach, expect, test } from 'vitest';
import { membersOf } from '../src/arguments.ts';
import { openClients } from './clients.ts';
import type { Prisma } from './generated/client.ts';

/* If the database rejects a batch, the requests at fault get Prisma's errors, and the others are written. */

const { engine, batched, answeredBy, pool, close } = await openClients();
afterAll(close);
await pool.query(`INSERT INTO "Author" (name, email) VALUES ('taken', 'taken@example.com')`);
await pool.query(`ALTER TABLE "Author" ADD CONSTRAINT named CHECK (name <> 'bad')`);
beforeEach(() => {
  answeredBy.length = 0;
});

const byEngine = () => answeredBy.filter((name) => name.startsWith('engine: '));

const MISSING = { where: { id: 99_999 } };
const NAMED = { name: 'named' };

/** The parts of an error that callers may depend on. */
async function toldOf(call: PromiseLike<unknown>) {
  const error: unknown = await Promise.resolve(call).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  const cause = at(error, 'meta', 'driverAdapterError', 'cause');
  return {
    name: at(error, 'name'),
    code: at(error, 'code'),
    meta: Object.keys({ ...membersOf(at(error, 'meta')) }).toSorted(),
    modelName: at(error, 'meta', 'modelName'),
    operation: at(error, 'meta', 'operation'),
    // The ids of refused rows differ.
    cause: { ...membersOf(cause), detail: String(at(cause, 'detail')).replace(/\(\d+/, '(') },
  };
}

function at(value: unknown, ...names: readonly string[]): unknown {
  return names.reduce<unknown>(
    (inner, name) => (inner instanceof Object ? Reflect.get(inner, name) : undefined),
    value,
  );
}

const authors: readonly [what: string, data: Prisma.AuthorCreateInput][] = [
  ['a taken value', { name: 'other', email: 'taken@example.com' }],
  ['a value that a check refuses', { name: 'bad', email: 'bad@example.com' }],
];

test.each(authors)('a create of %s throws the same error as the engine', async (_what, data) => {
  const told = await toldOf(batched.author.create({ data }));
  expect(byEngine()).toEqual([]);
  expect(told).toEqual(await toldOf(engine.author.create({ data })));
  expect(told.code).toMatch(/^P20/);
});

test('a create with a missing reference throws the same error as the engine', async () => {
  const item = { id: crypto.randomUUID(), shelfId: crypto.randomUUID() };
  const told = await toldOf(batched.item.create({ data: item }));
  expect(told).toEqual(await toldOf(engine.item.create({ data: item })));
  expect(told.code).toBe('P2003');
  expect(byEngine()).toEqual(['engine: Item.create']);
});

test('an update to a taken value throws the same error as the engine', async () => {
  const { id } = await engine.author.create({ data: { name: 'one', email: 'one@example.com' } });
  const change = { where: { id }, data: { email: 'taken@example.com' } };
  const told = await toldOf(batched.author.update(change));
  expect(told).toEqual(await toldOf(engine.author.update(change)));
  expect(told.code).toBe('P2002');
});

test.each([
  ['an update', (client: typeof batched) => client.author.update({ ...MISSING, data: NAMED })],
  ['a delete', (client: typeof batched) => client.author.delete(MISSING)],
  ['a find', (client: typeof batched) => client.author.findUniqueOrThrow(MISSING)],
])('%s of a row that is missing throws the same error as the engine', async (_what, call) => {
  const told = await toldOf(call(batched));
  expect(byEngine()).toEqual([]);
  expect(told).toEqual(await toldOf(call(engine)));
  expect(told.code).toBe('P2025');
});

test('the other requests of a rejected batch are written by statements', async () => {
  const data = Array.from({ length: 32 }, (_, number) => ({
    name: 'new',
    email: number === 20 ? 'taken@example.com' : `${number}@example.com`,
  }));
  const results = await Promise.allSettled(
    data.map((each) => batched.author.create({ data: each })),
  );
  expect(results.flatMap(({ status }, number) => (status === 'rejected' ? [number] : []))).toEqual([
    20,
  ]);
  expect(await engine.author.count({ where: { name: 'new' } })).toBe(31);
  expect(byEngine()).toEqual(['engine: Author.count']);
});

test("a read with a value that the database rejects doesn't fail the others of its batch", async () => {
  const { id } = await engine.defaulted.create({ data: {} });
  const sent = [{ id }, { id, price: '1e200000' }, { id, price: '1.5' }, { id: 'none' }];
  const found = await Promise.allSettled(
    sent.map((where) => batched.defaulted.findUnique({ where })),
  );
  const own = await engine.defaulted.findUnique({ where: { id } });
  expect(found.map((each) => (each.status === 'fulfilled' ? each.value : each.status))).toEqual([
    own,
    'rejected',
    own,
    null,
  ]);
  const pages = await Promise.allSettled(
    sent.map(({ price }) =>
      batched.defaulted.findMany({
        where: { flag: true, ...(price === undefined ? {} : { price }) },
        orderBy: { id: 'asc' },
        take: 9,
      }),
    ),
  );
  expect(pages.map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
    'fulfilled',
    'fulfilled',
  ]);
});
