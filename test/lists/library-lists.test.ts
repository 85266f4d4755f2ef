import {
  array,
  assert,
  asyncProperty,
  constantFrom,
  integer,
  nat,
  oneof,
  option,
  record,
  tuple,
  type Arbitrary,
} from 'fast-check';
import { escapeLiteral } from 'pg';
import { expect, test } from 'vitest';
import { memberAt, objectsIn } from '../support/json-members.ts';
import { idsOf, messageOf, openLibrary } from '../support/stores.ts';
import { linksOf } from '../support/links.ts';
import { propertyRuns } from '../support/property-runs.ts';

/* Ordered, restricted, searched and counted lists, in pages according to the Relay specification: https://relay.dev/graphql/connections.htm */

const { request, graphql, page, idsBy, query } = await openLibrary();

/** Dates and times that RFC 3339 cannot represent, and the date that is returned. */
const FAR: [stored: string, day: string][] = [
  ['infinity', '9999-12-31'],
  ['10000-01-02', '9999-12-31'],
  ['-infinity', '0001-01-01'],
  ['0044-03-15 BC', '0001-01-01'],
];
for (const [place, [due]] of [...FAR, ...FAR].entries()) {
  await query(`UPDATE loans SET due = '${due}' WHERE id = ${1 + place * 3}`);
}

/** An order as written in GraphQL, REST and SQL. */
interface Order {
  readonly orderBy?: string;
  readonly sort?: string;
  readonly sql: string;
}

type Given = Readonly<Record<string, string | number | readonly number[] | null | undefined>>;

interface Asked {
  readonly list: string;
  readonly order: Order;
  readonly given: Given;
}

const BY_ID: Order = { sql: 'id' };
const BY_DUE: Order = { orderBy: 'DUE_ASC', sort: 'due', sql: 'due, id' };
const BY_TITLE: Order = { orderBy: 'TITLE_ASC', sort: 'title', sql: 'title, id' };

const moment = constantFrom(
  '0001-01-01T00:00:00Z',
  '2026-01-02T00:00:00.001Z',
  '2026-01-03T00:00:00.002Z',
  '2026-01-04T00:00:00Z',
  '9999-12-31T23:59:59.999Z',
);
const loans: Arbitrary<Asked> = record({
  list: constantFrom('loans'),
  order: constantFrom(
    BY_ID,
    BY_DUE,
    { orderBy: 'DUE_DESC', sort: '-due', sql: 'due DESC, id DESC' },
    { orderBy: 'DUE_DESC, BORROWER_ASC', sort: '-due,borrower', sql: 'due DESC, borrower, id' },
    {
      orderBy: 'DUE_ASC, BORROWER_DESC',
      sort: 'due,-borrower',
      sql: 'due, borrower DESC, id DESC',
    },
  ),
  given: oneof(
    {
      weight: 3,
      arbitrary: record(
        { dueFrom: option(moment), dueBefore: option(moment) },
        { requiredKeys: [] },
      ),
    },
    record({ dueFrom: moment, bookId: integer({ min: 1, max: 6 }) }, { requiredKeys: ['bookId'] }),
  ),
});
const authorId = array(integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 4 });
const books: Arbitrary<Asked> = record({
  list: constantFrom('books'),
  order: constantFrom(BY_ID, BY_TITLE, {
    orderBy: 'TITLE_DESC',
    sort: '-title',
    sql: 'title DESC, id DESC',
  }),
  given: record(
    {
      authorId,
      titlePrefix: option(constantFrom('Emil', 'Emil 100%', 'emil', 'a_b', 'back\\', 'Ä', '%')),
    },
    { requiredKeys: [] },
  ),
});
const searches: Arbitrary<Asked> = record({
  list: constantFrom('books'),
  order: constantFrom(BY_ID),
  given: record(
    {
      authorId,
      search: constantFrom('EMIL', '100% SURE', '100_sure', 'mil 100', 'k\\slash', 'äpPLe'),
    },
    { requiredKeys: ['search'] },
  ),
});

/** The SQL condition for each argument, given its value as an SQL literal. */
const WHERE: Readonly<Record<string, (value: string) => string>> = {
  dueFrom: (value) => `due >= ${value}`,
  dueBefore: (value) => `due < ${value}`,
  bookId: (value) => `book_id = ${value}`,
  authorId: (value) => `author_id = ANY (string_to_array(${value}, ',')::bigint[])`,
  titlePrefix: (value) => `starts_with(title, ${value})`,
  search: (value) =>
    `strpos(lower(title COLLATE "und-x-icu"), lower(${value} COLLATE "und-x-icu")) > 0`,
};

/** A list that is restricted by a column is ordered by that column, unless a different order is given. */
function orderOf({ order, given }: Asked): Order {
  const isById = order === BY_ID;
  const isByDue = given['dueFrom'] != null || given['dueBefore'] != null;
  return isById && isByDue ? BY_DUE : isById && given['titlePrefix'] ? BY_TITLE : order;
}

/** All rows in an order, and their cursors. */
async function allOf(list: string, { orderBy, sql }: Order) {
  const ids = await idsBy(`SELECT id FROM ${list} ORDER BY ${sql}`);
  const all = await page(
    list,
    `${orderBy === undefined ? '' : `orderBy: [${orderBy}], `}first: 100`,
  );
  expect(all.ids).toEqual(ids);
  return all;
}

const asked = record({
  list: oneof(loans, books, searches),
  size: oneof(
    tuple(constantFrom('first', 'last'), constantFrom(0, 1, 2, 7, 100)),
    tuple(constantFrom('limit'), constantFrom(1, 2, 7, 100)),
    constantFrom(['first: null, last: null, limit', null] as const),
  ),
  after: option(nat(44), { freq: 2 }),
  before: option(nat(44), { freq: 3 }),
});

test('any page of any list has the rows that SQL finds between its cursors, in both APIs', async () => {
  let found = 0;
  const property = asyncProperty(
    asked,
    async ({ list: one, size: [name, number], after, before }) => {
      // With a limit, 20 by default, and only a before cursor, a page has the last rows before the cursor.
      const isLast = name === 'last' || (name !== 'first' && after === null && before !== null);
      const size = number ?? 20;
      const { list, order, given } = one;
      const isCounted = list === 'books';
      const { ids, cursors } = await allOf(list, orderOf(one));
      const restrictions = Object.entries(given).flatMap(([column, value]) =>
        value == null
          ? []
          : [{ column, value, sql: WHERE[column]?.(escapeLiteral(String(value))) }],
      );
      const where = ['true', ...restrictions.map(({ sql }) => sql)].join(' AND ');
      const listed = await idsBy(
        `SELECT id FROM ${list} WHERE ${where} ORDER BY ${orderOf(one).sql}`,
      );
      const isPrior = (id: string) => after !== null && ids.indexOf(id) <= after;
      const isLater = (id: string) => before !== null && ids.indexOf(id) >= before;
      const between = listed.filter((id) => !isPrior(id) && !isLater(id));
      const expected = isLast
        ? between.slice(Math.max(0, between.length - size))
        : between.slice(0, size);
      found += expected.length;

      const args = Object.entries(given).map(
        ([column, value]) => `${column}: ${JSON.stringify(value)}`,
      );
      if (order.orderBy !== undefined) args.push(`orderBy: [${order.orderBy}]`);
      const cursorAt = (place: number | null) =>
        JSON.stringify(place === null ? null : cursors[place]);
      args.push(`after: ${cursorAt(after)}`);
      const pageArgs = `${args.join(' ')} before: ${cursorAt(before)} ${name}: ${number}`;
      const connection = await page(list, pageArgs, isCounted ? 'totalCount' : '');
      expect(connection).toMatchObject({
        ids: expected,
        pageInfo: {
          hasPreviousPage: isLast ? between.length > size : listed.some(isPrior),
          hasNextPage: isLast ? listed.some(isLater) : between.length > size,
          startCursor: connection.cursors[0] ?? null,
          endCursor: connection.cursors.at(-1) ?? null,
        },
        totalCount: isCounted ? listed.length : undefined,
      });
      // The last round runs a compiled program. Without edges, no columns need to be read for cursors.
      const nodes = expected.map((id) => ({ id }));
      for (let round = 1; round <= 3; round += 1) {
        const { json } = await graphql(
          `{ page: ${list}Connection(${pageArgs}) { nodes { id } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`,
        );
        expect(json).toEqual({ data: { page: { nodes, pageInfo: connection.pageInfo } } });
      }
      // REST lists a book's loans under the book's path.
      if (isLast || before !== null || size === 0 || given['bookId'] !== undefined) {
        return;
      }
      const { json } = await graphql(`{ ${list}(${args.join(' ')} limit: ${size}) { id } }`);
      expect(json).toEqual({ data: { [list]: nodes } });
      const rest = await request(
        `/v1/${list}?${String(
          new URLSearchParams([
            ...restrictions.map(({ column, value }) => [column, String(value)]),
            ...(order.sort === undefined ? [] : [['sort', order.sort]]),
            ...(after === null ? [] : [['after', cursors[after] ?? '']]),
            ['limit', String(size)],
          ]),
        )}`,
      );
      expect(idsOf(rest)).toEqual(expected);
      expect(linksOf(rest).has('next')).toBe(between.length > size);
      expect(rest.headers.get('X-Total-Count')).toBe(isCounted ? String(listed.length) : null);
      if (!isCounted || Object.keys(given).length > 0) return;
      const own = new Set(await idsBy('SELECT id FROM books WHERE author_id = 2'));
      const ofOne = between.filter((id) => own.has(id)).slice(0, size);
      const relation = await graphql(
        `{ author(id: 2) { books(${args.join(' ')} limit: ${size}) { id } } }`,
      );
      expect(relation.json).toEqual({
        data: { author: { books: ofOne.map((id) => ({ id })) } },
      });
    },
  );
  await assert(property, propertyRuns(100));
  expect(found).toBeGreaterThan(100);
});

const LOAN_ORDERS =
  '[DUE_ASC] or [DUE_DESC] or [DUE_DESC, BORROWER_ASC] or [DUE_ASC, BORROWER_DESC]';
const LOAN_SORTS = 'sort must be due or -due or -due,borrower or due,-borrower';

test.each([
  [['BORROWER_ASC'], 'borrower'],
  [['DUE_ASC', 'BORROWER_ASC'], 'due,borrower'],
  [['DUE_ASC', 'DUE_ASC'], 'due,due'],
  [[null], ''],
  [['ID'], 'id'],
  [['due'], 'DUE_ASC'],
  [[''], '-due,'],
])(
  'the error for an undeclared order lists the declared orders: %j, sort=%s',
  async (orderBy, sort) => {
    const source = 'query($orderBy: [LoanOrder!]) { loans(orderBy: $orderBy) { id } }';
    expect(messageOf(await graphql(source, { orderBy }))).toBe(`orderBy must be ${LOAN_ORDERS}`);
    const message: unknown = expect.stringContaining(LOAN_SORTS);
    expect(await request(`/v1/loans?sort=${sort}&limit=0`)).toMatchObject({
      status: 400,
      json: { code: 'BAD_USER_INPUT', message },
    });
  },
);

test('a problem response lists an undeclared order and all other faults by parameter', async () => {
  const { json } = await request('/v1/loans?sort=due,due&limit=0', {
    headers: { Accept: 'application/problem+json' },
  });
  expect(json).toMatchObject({
    errors: expect.arrayContaining([
      { parameter: 'sort', detail: LOAN_SORTS },
      { parameter: 'limit', detail: 'limit must be an integer between 1 and 100' },
    ]) as unknown,
  });
});

test('an empty orderBy orders by id', async () => {
  expect((await page('loans', 'orderBy: [], first: 3')).ids).toEqual(['1', '2', '3']);
});

test('OpenAPI describes sort, ranges and cursors', async () => {
  const { json } = await request('/v1/openapi.json');
  const parameters = objectsIn(memberAt(json, 'paths', '/loans', 'get', 'parameters'));
  const named = (name: string) => parameters.find((parameter) => parameter['name'] === name);
  expect(named('sort')).toMatchObject({
    in: 'query',
    style: 'form',
    explode: false,
    required: false,
    description:
      'The order of the loans: due or -due or -due,borrower or due,-borrower. Ids break ties. By default, loans are ordered by id.',
    schema: {
      type: 'array',
      items: { $ref: '#/components/schemas/LoanOrder' },
      examples: [['due']],
    },
  });
  expect(memberAt(json, 'components', 'schemas', 'LoanOrder', 'enum')).toEqual([
    'due',
    '-due',
    'borrower',
    '-borrower',
  ]);
  expect(named('dueFrom')).toMatchObject({ schema: { type: 'string', format: 'date-time' } });
  expect(named('after')).toMatchObject({ schema: { type: 'string' } });
});

test.each(['titlePrefix: "Emil"', 'orderBy: [TITLE_ASC]'])(
  'a search combined with %s is rejected',
  async (args) => {
    expect(messageOf(await graphql(`{ books(${args}, search: "Emil") { id } }`))).toBe(
      'search must not be combined with an order other than by id',
    );
  },
);

test.each(['', 'ab', '%%%', 'a b c', 'x'.repeat(101)])(
  'a search that no index supports is rejected: %s',
  async (search) => {
    expect(await request(`/v1/books?search=${encodeURIComponent(search)}`)).toMatchObject({
      status: 400,
      json: {
        message:
          'search must be a string of 3 to 100 characters, with at least three letters or digits in a row',
      },
    });
  },
);

test('the URLs in Link keep repeated parameters', async () => {
  const { headers } = await request('/v1/books?authorId=1&authorId=3&limit=1&sort=title');
  expect(headers.get('Link')).toMatch(
    /^<\?authorId=1&authorId=3&limit=1&sort=title>; rel="first", <\?authorId=1&authorId=3&limit=1&sort=title&after=[\w-]+>; rel="next"$/,
  );
});

const COUNTS = ['a', 'b', 'c', 'd', 'e'].map((alias) => `${alias}: booksConnection { totalCount }`);

test('totalCount adds to the complexity', async () => {
  const few = await graphql(`{ ${COUNTS.slice(0, 2).join(' ')} }`);
  expect(few.json).toEqual({ data: { a: { totalCount: 45 }, b: { totalCount: 45 } } });
  const answer = await graphql(`{ ${COUNTS.join(' ')} }`);
  expect(messageOf(answer)).toContain('complexity');
});

test("pages do not skip or repeat unchanged rows while others change, and a removed row's cursor stays valid", async () => {
  const added = await idsBy(`INSERT INTO loans (borrower, due, book_id)
    SELECT 'C', timestamptz '2030-01-01Z' + n * interval '1 day', 1 FROM generate_series(1, 20) AS n
    RETURNING id`);
  const args = 'dueFrom: "2030-01-01T00:00:00Z"';
  const first = await page('loans', `${args}, first: 5`);
  expect(first.ids).toEqual(added.slice(0, 5));
  // The cursor's row is removed, one row moves to either side of it, and one row is added on either side.
  await idsBy(`DELETE FROM loans WHERE id = ${added[4]}`);
  await idsBy(`UPDATE loans SET due = '2030-01-02 12:00Z' WHERE id = ${added[10]}`);
  await idsBy(`UPDATE loans SET due = '2031-01-02 12:00Z' WHERE id = ${added[1]}`);
  await idsBy(`INSERT INTO loans (borrower, due, book_id)
    VALUES ('C', '2030-01-03 12:00Z', 1), ('C', '2030-01-10 12:00Z', 1)`);
  const still = added.filter((id) => ![added[1], added[4], added[10]].includes(id));
  const ids = first.ids.filter((id) => still.includes(id));
  let after: unknown = first.cursors.at(-1);
  for (let isMore = true; isMore;) {
    const next = await page('loans', `${args}, first: 5, after: "${String(after)}"`);
    ids.push(...next.ids.filter((id) => still.includes(id)));
    after = next.pageInfo['endCursor'];
    isMore = next.pageInfo['hasNextPage'] === true;
  }
  expect(ids).toEqual(still);
  const before = await page('loans', `${args}, last: 9, before: "${first.cursors[4]}"`);
  expect(before.ids.filter((id) => still.includes(id))).toEqual([added[0], added[2], added[3]]);
  await idsBy(`DELETE FROM loans WHERE borrower = 'C'`);
});

/** A cursor that the service did not issue. */
function cursorOf(...parts: unknown[]): string {
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

test.each([
  'x',
  '42',
  cursorOf(),
  cursorOf('due'),
  cursorOf('due', 'soon', '1'),
  cursorOf('due', '2026-01-01T00:00:00.000Z', '1.5'),
  cursorOf('due', '2026-01-01', '1'),
  cursorOf('due', 5, '1'),
  cursorOf('due', '2026-01-01T00:00:00.000Z', '99999999999999999999'),
  cursorOf('due', '2026-01-01T00:00:00.000Z', '1', '2'),
  cursorOf('-due', '2026-01-01T00:00:00.000Z', '1'),
  cursorOf('title', '2026-01-01T00:00:00.000Z', '1'),
])(
  "a cursor that does not match the list's order is rejected with its argument's name: %s",
  async (cursor) => {
    const MESSAGE = 'must be a cursor from a list in the same order';
    for (const argument of ['after', 'before']) {
      const args = `orderBy: [DUE_ASC], ${argument}: "${cursor}"`;
      const answer = await graphql(`{ loansConnection(${args}) { nodes { id } } }`);
      expect(messageOf(answer)).toBe(`${argument} ${MESSAGE}`);
      expect(answer.text).toContain('BAD_USER_INPUT');
    }
    expect(await request(`/v1/loans?sort=due&after=${cursor}`)).toMatchObject({
      status: 400,
      json: { code: 'BAD_USER_INPUT', message: `after ${MESSAGE}` },
    });
  },
);

test('a list ordered by id rejects a cursor from a list in a different order', async () => {
  const { cursors } = await page('loans', 'orderBy: [DUE_ASC], first: 1');
  expect(await request(`/v1/loans?after=${cursors[0]}`)).toMatchObject({
    status: 400,
    json: {
      message: 'after must be an integer between -9223372036854775808 and 9223372036854775807',
    },
  });
});

test.each(FAR)(
  'a book with the publication date %s can be found, changed and removed',
  async (stored, day) => {
    const [id = ''] = await idsBy(
      `INSERT INTO books (title, isbn, author_id, published)
    VALUES ('Far 777', '${stored}', 1, '${stored}') RETURNING id`,
    );
    const path = `/v1/books/${id}`;
    const { json: book, headers } = await request(path);
    expect(book).toMatchObject({ published: day });
    expect((await request('/v1/books?search=777')).json).toEqual([book]);
    const fields = '{ id published }';
    const found = await graphql(`{
    books(search: "777", limit: 1) ${fields}
    booksConnection(search: "777", first: 1) { nodes ${fields} }
    author(id: 1) { books(limit: 50) ${fields} }
  }`);
    const far = { id, published: day };
    expect(found.json).toMatchObject({
      data: {
        books: [far],
        booksConnection: { nodes: [far] },
        author: { books: expect.arrayContaining([far]) as unknown },
      },
    });
    const patched = await request(path, {
      method: 'PATCH',
      headers: { 'Content-Type': 'application/json', 'If-Match': headers.get('ETag') ?? '' },
      body: '{"title":"Away"}',
    });
    expect([patched.status, patched.json]).toMatchObject([200, { title: 'Away', published: day }]);
    expect(
      await idsBy(`SELECT id FROM books WHERE id = ${id} AND published = '${stored}'`),
    ).toEqual([id]);
    const removed = await graphql(`mutation { deleteBook(id: ${id}) { title published } }`);
    expect(removed.json).toEqual({ data: { deleteBook: { title: 'Away', published: day } } });
  },
);
