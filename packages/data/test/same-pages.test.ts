import {
  array,
  assert,
  asyncProperty,
  bigInt,
  boolean,
  constantFrom,
  integer,
  nat,
  oneof,
  option,
  record,
  type Arbitrary,
} from 'fast-check';
import { expect, test } from 'vitest';
import { propertyRuns } from '../../../test/support/property-runs.ts';
import { callEngine } from '../src/prisma-internals.ts';
import type { Row } from '../src/model.ts';
import { modelOf, openClients } from './clients.ts';
import { betweenRows, loanOf, orderByOf, type Orders } from './loans.ts';

const { engine, batched, batchedOnOlder, answeredBy, pool } = await openClients();
await pool.query(`INSERT INTO "Author" (name, email) SELECT n, n FROM generate_series(1, 4) AS n`);
await engine.loan.createMany({
  data: Array.from({ length: 400 }, (_, number) => loanOf(number, (number % 3) + 1)),
});
// A page may begin or end at a removed row.
const loans: readonly Row[] = await engine.loan.findMany();
await engine.loan.deleteMany({ where: { id: { in: [7n, 8n, 50n, 51n, 52n, 300n] } } });

const UNSORTED = new Set(['finer', 'level', 'category', 'flag']);

/** The queries that each index supports: its first columns equal given values, and the others sort the rows. */
const readOff = modelOf('Loan')
  .indexes.filter(({ fields }) => fields.every(({ ops }) => ops === undefined))
  .flatMap(({ fields }) =>
    fields.map((_field, place) => ({ equal: fields.slice(0, place), sorted: fields.slice(place) })),
  )
  .filter(({ sorted }) => sorted.every(({ field }) => !UNSORTED.has(field)));

const place = nat(loans.length - 1);
/** For each column, the row whose value it is compared with: one row for all columns, or a different row for each. */
const places = oneof(
  place.map((at) => Array.from({ length: 5 }, () => at)),
  array(place, { minLength: 5, maxLength: 5 }),
);
const asked = record({
  from: constantFrom(...readOff),
  isTurned: boolean(),
  /** Where in the order to insert the columns with equality conditions, if at all. */
  equalAt: option(constantFrom(0, 1)),
  take: integer({ min: 1, max: 9 }),
  sets: array(array(place, { minLength: 1, maxLength: 4 }), { minLength: 3, maxLength: 3 }),
  range: array(record({ name: constantFrom('gt', 'gte', 'lt', 'lte'), place }), { maxLength: 2 }),
  prefix: option(constantFrom('Mi', 'Mio', '', 'M\\_o\\%', '😀', 'none', '\uD7FF')),
  after: option(places),
  until: option(places),
  select: option(constantFrom({ title: true }, { title: true, authorId: true, id: false }), {
    nil: undefined,
  }),
});

function valueAt(field: string, at = 0): unknown {
  return loans[at]?.[field];
}

/** A UUID in lower and in upper case; a row is stored with one of the two. */
function writtenTwice(value: unknown): unknown[] {
  return typeof value === 'string' && value.length === 36 ? [value, value.toUpperCase()] : [value];
}

function argsOf(given: Asked) {
  const { from, isTurned, equalAt, take, sets, range, prefix, after, until, select } = given;
  const alsoSorted = from.equal.filter(({ field }) => equalAt !== null && !UNSORTED.has(field));
  const orders: Orders = from.sorted
    .map(({ field, order }): Orders[number] => [
      field,
      (order === 'asc') === isTurned ? 'desc' : 'asc',
    ])
    .toSpliced(
      Math.min(equalAt ?? 0, from.sorted.length - 1),
      0,
      ...alsoSorted.map(({ field, order }): Orders[number] => [field, order]),
    );
  const [[first] = ['']] = orders;
  const placed = (at: readonly number[] | null) =>
    at === null
      ? undefined
      : Object.fromEntries(orders.map(([field], index) => [field, valueAt(field, at[index])]));
  const compared = {
    ...Object.fromEntries(range.map(({ name, place: at }) => [name, valueAt(first, at)])),
    ...(prefix !== null && ['title', 'holder', 'status'].includes(first) && { startsWith: prefix }),
  };
  const where: Record<string, unknown> = {
    ...betweenRows(orders, placed(after), placed(until)),
    [first]: compared,
  };
  for (const [index, { field }] of from.equal.entries()) {
    const values = (sets[index] ?? []).map((at) => valueAt(field, at) ?? 1).flatMap(writtenTwice);
    where[field] = values.length === 1 || field === 'flag' ? values[0] : { in: values };
  }
  return { where, orderBy: orderByOf(orders), take, ...(select && { select }) };
}
type Asked = typeof asked extends Arbitrary<infer Value> ? Value : never;

test("pages in the order of any index, between any two rows, contain the same rows as with Prisma's engine", async () => {
  await assert(
    asyncProperty(asked, async (given) => {
      const args = argsOf(given);
      answeredBy.length = 0;
      const found = await callEngine(batched, 'loan', 'findMany', args);
      const foundOnOlder = await callEngine(batchedOnOlder, 'loan', 'findMany', args);
      expect(answeredBy).not.toContain('engine: Loan.findMany');
      expect(found).toStrictEqual(await callEngine(engine, 'loan', 'findMany', args));
      expect(foundOnOlder).toStrictEqual(found);
    }),
    propertyRuns(600),
  );
});

test("ordered pages of relations contain the same rows as with Prisma's engine", async () => {
  const ofAuthor = readOff.filter(({ equal }) => equal.some(({ field }) => field === 'authorId'));
  await assert(
    asyncProperty(asked, constantFrom(...ofAuthor), boolean(), async (given, from, isOfSome) => {
      const { where, ...page } = argsOf({ ...given, from });
      const { authorId: _authorId, ...others } = where;
      const include = { loans: { ...page, where: isOfSome ? where : others } };
      const args = { orderBy: { id: 'asc' }, take: 4, include };
      answeredBy.length = 0;
      const found = await callEngine(batched, 'author', 'findMany', args);
      expect(answeredBy).not.toContain('engine: Author.findMany');
      expect(found).toStrictEqual(await callEngine(engine, 'author', 'findMany', args));
    }),
    propertyRuns(200),
  );
});

const cursor = oneof(
  { weight: 9, arbitrary: bigInt({ min: 0n, max: 410n }) },
  constantFrom(-(2n ** 63n), 2n ** 63n - 1n),
);
const ofIds = record({
  orderBy: record({ id: constantFrom('asc', 'desc') }),
  take: integer({ min: 1, max: 9 }),
  where: record({
    id: record(
      { in: array(cursor, { minLength: 1, maxLength: 12 }), gt: cursor, lt: cursor },
      { requiredKeys: [] },
    ),
  }),
});

test("pages filtered by lists or ranges of ids contain the same rows as with Prisma's engine", async () => {
  await assert(
    asyncProperty(ofIds, async (args) => {
      answeredBy.length = 0;
      const found = await callEngine(batched, 'loan', 'findMany', args);
      expect(answeredBy).not.toContain('engine: Loan.findMany');
      expect(found).toStrictEqual(await callEngine(engine, 'loan', 'findMany', args));
    }),
    propertyRuns(100),
  );
});
