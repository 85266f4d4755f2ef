import { Client } from 'pg';
import { afterAll, expect, test } from 'vitest';
import { isJsonObject } from '@gateway/exact-json/json';
import type { Answer } from '../support/gateway.ts';
import { serveStore, STORES } from '../support/stores.ts';

/* Lists in other orders than that of ids, restricted, searched and counted. */

const [, library] = STORES;
if (library === undefined) {
  throw new Error('there is no second store');
}
const store = await serveStore(library);
const { request } = store;
const client = new Client(store.env['DATABASE_URL']);
await client.connect();
afterAll(() => client.end());

await client.query(`INSERT INTO authors (name) SELECT 'Author' FROM generate_series(1, 4)`);
await client.query(`INSERT INTO books (title, isbn, author_id)
  SELECT (ARRAY['Emil', 'emil', 'Emil 100% sure', 'Emil 100 sure', 'a_b c', 'axb c', 'back\\slash', 'Äpple', 'Zoo'])[n % 9 + 1],
    lpad(n::text, 13, '0'), n % 4 + 1
  FROM generate_series(1, 45) AS n`);
// Few moments and few borrowers, so that many loans are alike in both.
await client.query(`INSERT INTO loans (borrower, due, book_id)
  SELECT 'B' || n * 7 % 5, timestamptz '2026-01-01 00:00:00Z' + n * 11 % 6 * interval '1 day 1 ms', n % 45 + 1
  FROM generate_series(1, 50) AS n`);

type Json = Readonly<Record<string, unknown>>;

async function graphql(query: string): Promise<Answer> {
  return request('/graphql', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ query }),
  });
}

interface Page {
  readonly ids: readonly string[];
  readonly cursors: readonly string[];
  readonly pageInfo: Json;
  readonly totalCount?: unknown;
}

async function page(list: string, args: string, count = ''): Promise<Page> {
  const answer = await graphql(
    `{ ${list}Connection(${args}) { edges { cursor node { id } } ${count} pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`,
  );
  const { data } = answer.json as { data?: Record<string, Page & { edges: Edge[] }> };
  const found = data?.[`${list}Connection`];
  if (found === undefined) {
    throw new Error(answer.text);
  }
  return {
    ids: found.edges.map(({ node }) => node.id),
    cursors: found.edges.map(({ cursor }) => cursor),
    pageInfo: found.pageInfo,
    totalCount: found.totalCount,
  };
}

interface Edge {
  readonly cursor: string;
  readonly node: { readonly id: string };
}

async function idsBy(sql: string): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>(sql);
  return rows.map(({ id }) => id);
}

/** Declared orders: the list, GraphQL's and REST's words, and SQL's. */
const ORDERS = [
  ['loans', 'DUE_ASC', 'due', 'due, id'],
  ['loans', 'DUE_DESC', '-due', 'due DESC, id DESC'],
  ['loans', 'DUE_DESC, BORROWER_ASC', '-due,borrower', 'due DESC, borrower, id'],
  ['loans', 'DUE_ASC, BORROWER_DESC', 'due,-borrower', 'due, borrower DESC, id DESC'],
  ['books', 'TITLE_ASC', 'title', 'title, id'],
  ['books', 'TITLE_DESC', '-title', 'title DESC, id DESC'],
] as const;

test.each(ORDERS)(
  '%s ordered by %s: pages lead through them forwards and backwards, each row once',
  async (list, orderBy, _sort, sql) => {
    const expected = await idsBy(`SELECT id FROM ${list} ORDER BY ${sql}`);
    const forwards: string[] = [];
    for (let after = ''; ;) {
      const { ids, pageInfo } = await page(list, `orderBy: [${orderBy}], first: 7${after}`);
      forwards.push(...ids);
      expect(pageInfo['hasPreviousPage']).toBe(after !== '');
      if (pageInfo['hasNextPage'] !== true) {
        break;
      }
      after = `, after: "${String(pageInfo['endCursor'])}"`;
    }
    expect(forwards).toEqual(expected);

    const backwards: string[] = [];
    for (let before = ''; ;) {
      const { ids, pageInfo } = await page(list, `orderBy: [${orderBy}], last: 7${before}`);
      backwards.unshift(...ids);
      expect(pageInfo['hasNextPage']).toBe(before !== '');
      if (pageInfo['hasPreviousPage'] !== true) {
        break;
      }
      before = `, before: "${String(pageInfo['startCursor'])}"`;
    }
    expect(backwards).toEqual(expected);
  },
);

test.each(ORDERS)(
  '%s ordered by %s: Link leads through REST with sort=%s',
  async (list, _orderBy, sort, sql) => {
    const expected = await idsBy(`SELECT id FROM ${list} ORDER BY ${sql}`);
    const ids: string[] = [];
    for (let query = `?limit=8&sort=${sort}`; query !== '';) {
      const { json, headers } = await request(`/v1/${list}${query}`);
      ids.push(...(json as { id: number }[]).map(({ id }) => String(id)));
      query = /<([^>]*)>; rel="next"/.exec(headers.get('Link') ?? '')?.[1] ?? '';
    }
    expect(ids).toEqual(expected);
  },
);

test('a page lies between two cursors, from whichever end', async () => {
  const all = await page('loans', 'orderBy: [DUE_DESC, BORROWER_ASC], first: 50');
  const between = `orderBy: [DUE_DESC, BORROWER_ASC], after: "${all.cursors[9]}", before: "${all.cursors[20]}"`;
  expect((await page('loans', `${between}, first: 3`)).ids).toEqual(all.ids.slice(10, 13));
  expect((await page('loans', `${between}, last: 3`)).ids).toEqual(all.ids.slice(17, 20));
  expect(await page('loans', `${between}, first: 20`)).toMatchObject({
    ids: all.ids.slice(10, 20),
    pageInfo: { hasNextPage: false, hasPreviousPage: true },
  });
});

test('a list takes the cursors of its connection', async () => {
  const all = await page('loans', 'orderBy: [DUE_ASC], first: 50');
  const { json } = await graphql(
    `{ loans(orderBy: [DUE_ASC], limit: 3, after: "${all.cursors[4]}") { id } }`,
  );
  expect(json).toEqual({ data: { loans: all.ids.slice(5, 8).map((id) => ({ id })) } });
});

test('in the order of ids, cursors are ids', async () => {
  const { ids, cursors, pageInfo } = await page('loans', 'first: 3, after: "5"');
  expect([ids, pageInfo['endCursor']]).toEqual([cursors, '8']);
});

test('a cursor goes on where its row was, and no row that stands still is skipped or doubled', async () => {
  const added = await idsBy(`INSERT INTO loans (borrower, due, book_id)
    SELECT 'C', timestamptz '2030-01-01Z' + n * interval '1 day', 1 FROM generate_series(1, 20) AS n
    RETURNING id`);
  const args = 'dueFrom: "2030-01-01T00:00:00Z"';
  const first = await page('loans', `${args}, first: 5`);
  expect(first.ids).toEqual(added.slice(0, 5));
  // The row of the cursor goes, one behind it comes before, one before it goes behind, and one is added on either side.
  await client.query(`DELETE FROM loans WHERE id = ${added[4]}`);
  await client.query(`UPDATE loans SET due = '2030-01-02 12:00Z' WHERE id = ${added[10]}`);
  await client.query(`UPDATE loans SET due = '2031-01-02 12:00Z' WHERE id = ${added[1]}`);
  await client.query(`INSERT INTO loans (borrower, due, book_id)
    VALUES ('C', '2030-01-03 12:00Z', 1), ('C', '2030-01-10 12:00Z', 1)`);
  const still = added.filter((id) => ![added[1], added[4], added[10]].includes(id));
  const ids = [...first.ids.filter((id) => still.includes(id))];
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
  await client.query(`DELETE FROM loans WHERE borrower = 'C'`);
});

function messageOf({ json }: Answer): unknown {
  const errors = isJsonObject(json) ? (json['errors'] ?? [json]) : [];
  return (errors as { message: string }[]).map(({ message }) => message).join();
}

/** A cursor that the service didn't write. */
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
])('what is no cursor of the order is refused by the name of its argument: %s', async (cursor) => {
  const MESSAGE = 'must be a cursor of a list in the same order';
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
});

test('the cursor of another order is refused where the order is that of ids', async () => {
  const { cursors } = await page('loans', 'orderBy: [DUE_ASC], first: 1');
  expect(await request(`/v1/loans?after=${cursors[0]}`)).toMatchObject({
    status: 400,
    json: {
      message: 'after must be an integer between -9223372036854775808 and 9223372036854775807',
    },
  });
});

const LOAN_ORDERS =
  '[DUE_ASC] or [DUE_DESC] or [DUE_DESC, BORROWER_ASC] or [DUE_ASC, BORROWER_DESC]';
const LOAN_SORTS = 'sort must be due or -due or -due,borrower or due,-borrower';

test.each(['[BORROWER_ASC]', '[DUE_ASC, BORROWER_ASC]', '[DUE_ASC, DUE_ASC]', '[null]', '[ID]'])(
  'an order that is not declared is refused with those that are: %s',
  async (orderBy) => {
    const answer = await request('/graphql', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({
        query: 'query($orderBy: [LoanOrder!]) { loans(orderBy: $orderBy) { id } }',
        variables: { orderBy: JSON.parse(orderBy.replaceAll(/[A-Z_]+/g, '"$&"')) as unknown },
      }),
    });
    expect(messageOf(answer)).toBe(`orderBy must be ${LOAN_ORDERS}`);
  },
);

test.each(['borrower', 'due,borrower', 'DUE_ASC', 'due,due', '', 'id', '-due,'])(
  "REST refuses it in REST's words: sort=%s",
  async (sort) => {
    expect(await request(`/v1/loans?sort=${sort}&limit=0`)).toMatchObject({
      status: 400,
      json: {
        code: 'BAD_USER_INPUT',
        message: expect.stringContaining(LOAN_SORTS) as unknown,
      },
    });
  },
);

test('faults beside it are told, too, and a problem names the parameter', async () => {
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

test('an empty list of orders is the order of ids', async () => {
  expect((await page('loans', 'orderBy: [], first: 3')).ids).toEqual(['1', '2', '3']);
});

test.each([
  ['dueFrom', '2026-01-03T00:00:00.002Z', '>='],
  ['dueBefore', '2026-01-03T00:00:00.002Z', '<'],
])(
  '%s restricts a list, which is then in the order of its column',
  async (argument, value, sql) => {
    const where = `WHERE due ${sql} '${value}'`;
    const ids = await idsBy(`SELECT id FROM loans ${where} ORDER BY due, id`);
    expect(ids.length).toBeGreaterThan(5);
    expect((await page('loans', `${argument}: "${value}", first: 100`)).ids).toEqual(ids);
    const rest = await request(`/v1/loans?limit=100&${argument}=${value}&sort=-due,borrower`);
    expect((rest.json as { id: number }[]).map(({ id }) => String(id))).toEqual(
      await idsBy(`SELECT id FROM loans ${where} ORDER BY due DESC, borrower, id`),
    );
  },
);

test('pages of a range end where it does, in both directions', async () => {
  const range = 'dueFrom: "2026-01-02T00:00:00Z", dueBefore: "2026-01-04T00:00:00Z"';
  const all = await page('loans', `${range}, first: 100`);
  const { ids } = await page('loans', `${range}, first: 100, after: "${all.cursors[2]}"`);
  expect(ids).toEqual(all.ids.slice(3));
  const last = await page('loans', `${range}, last: 100, before: "${all.cursors[2]}"`);
  expect(last.ids).toEqual(all.ids.slice(0, 2));
});

test.each([
  [
    'books',
    'titlePrefix: "Emil", search: "Emil"',
    'search must not be combined with another order than that of ids',
  ],
  [
    'books',
    'orderBy: [TITLE_ASC], search: "Emil"',
    'search must not be combined with another order than that of ids',
  ],
])('%s(%s) is refused', async (list, args, message) => {
  expect(messageOf(await graphql(`{ ${list}(${args}) { id } }`))).toBe(message);
});

test.each([
  ['Emil', 15],
  ['Emil 100%', 5],
  ['emil', 5],
  ['a_b', 5],
  ['back\\', 5],
  ['Ä', 5],
  ['%', 0],
])('a prefix is meant literally: %s', async (prefix, count) => {
  const { json } = await request(`/v1/books?limit=100&titlePrefix=${encodeURIComponent(prefix)}`);
  const titles = (json as { title: string }[]).map(({ title }) => title);
  expect(titles).toHaveLength(count);
  expect(titles.every((title) => title.startsWith(prefix))).toBe(true);
});

test.each([
  ['EMIL', 20],
  ['100% SURE', 5],
  ['100_sure', 0],
  ['mil 100', 10],
  ['b c', 0],
  ['k\\slash', 5],
  ['äpPLe', 5],
])('a search finds texts literally, whatever their capitals: %s', async (search, count) => {
  const { json, status } = await request(
    `/v1/books?limit=100&search=${encodeURIComponent(search)}`,
  );
  if (search === 'b c') {
    expect(status).toBe(400);
    return;
  }
  const books = json as { id: number; title: string }[];
  expect(books).toHaveLength(count);
  expect(books.map(({ id }) => id)).toEqual(books.map(({ id }) => id).toSorted((a, b) => a - b));
});

test.each(['', 'ab', '%%%', 'a b c', 'x'.repeat(101)])(
  'a search by which no index finds anything is refused: %s',
  async (search) => {
    expect(await request(`/v1/books?search=${encodeURIComponent(search)}`)).toMatchObject({
      status: 400,
      json: {
        message:
          'search must be a string of 3 to 100 characters, at least three of them letters or digits in a row',
      },
    });
  },
);

test('a search is paged by ids', async () => {
  const all = await page('books', 'search: "emil", first: 100');
  const rest = await page('books', `search: "emil", first: 100, after: "${all.cursors[3]}"`);
  expect([all.ids.length, rest.ids]).toEqual([20, all.ids.slice(4)]);
});

test('a set is any of its values, with an order or without', async () => {
  const where = 'WHERE author_id IN (1, 3)';
  const rest = await request('/v1/books?limit=100&authorId=1,3,3&sort=-title');
  expect((rest.json as { id: number }[]).map(({ id }) => String(id))).toEqual(
    await idsBy(`SELECT id FROM books ${where} ORDER BY title DESC, id DESC`),
  );
  const { ids } = await page('books', 'authorId: [1, 3], first: 100');
  expect(ids).toEqual(await idsBy(`SELECT id FROM books ${where} ORDER BY id`));
});

test('a repeated parameter stays in the links', async () => {
  const { headers } = await request('/v1/books?authorId=1&authorId=3&limit=1&sort=title');
  expect(headers.get('Link')).toMatch(
    /^<\?authorId=1&authorId=3&limit=1&sort=title>; rel="first", <\?authorId=1&authorId=3&limit=1&sort=title&after=[\w-]+>; rel="next"$/,
  );
});

test.each([
  ['', 45],
  ['authorId: [1, 2], ', 23],
  ['titlePrefix: "Emil", ', 15],
  ['search: "emil", ', 20],
])('a count is of all rows that a list has: %s', async (args, count) => {
  const { cursors } = await page('books', `${args}first: 2`);
  const { totalCount } = await page(
    'books',
    `${args}first: 1, after: "${cursors[1]}"`,
    'totalCount',
  );
  expect(totalCount).toBe(count);
});

test('REST tells a count in a header, of the filters, whatever the page', async () => {
  const { headers } = await request('/v1/books?authorId=1,2&limit=1');
  expect(headers.get('X-Total-Count')).toBe('23');
});

test('a count costs as much as some pages', async () => {
  const count = (alias: string) => `${alias}: booksConnection { totalCount }`;
  const few = await graphql(`{ ${['a', 'b'].map(count).join(' ')} }`);
  expect(few.json).toEqual({ data: { a: { totalCount: 45 }, b: { totalCount: 45 } } });
  const answer = await graphql(`{ ${['a', 'b', 'c', 'd', 'e'].map(count).join(' ')} }`);
  expect(messageOf(answer)).toContain('complexity');
});

test('a relation of one row is ordered, too', async () => {
  const { json } = await graphql(
    '{ author(id: 1) { books(orderBy: [TITLE_DESC], limit: 3) { id } } }',
  );
  const ids = await idsBy(
    'SELECT id FROM books WHERE author_id = 1 ORDER BY title DESC, id DESC LIMIT 3',
  );
  expect(json).toMatchObject({ data: { author: { books: ids.map((id) => ({ id })) } } });
});

test('the OpenAPI document has the parameters with the names of REST', async () => {
  const { json } = await request('/v1/openapi.json');
  const document = json as {
    paths: Record<string, { get: { parameters: Json[] } }>;
    components: { schemas: Record<string, Json> };
  };
  const parameters = document.paths['/loans']?.get.parameters ?? [];
  const named = (name: string) => parameters.find((parameter) => parameter['name'] === name);
  expect(named('sort')).toMatchObject({
    in: 'query',
    style: 'form',
    explode: false,
    required: false,
    description:
      'The order of the loans: due or -due or -due,borrower or due,-borrower. Ids break ties; by default, the order is that of ids.',
    schema: {
      type: 'array',
      items: { $ref: '#/components/schemas/LoanOrder' },
      examples: [['due']],
    },
  });
  expect(document.components.schemas['LoanOrder']?.['enum']).toEqual([
    'due',
    '-due',
    'borrower',
    '-borrower',
  ]);
  expect(named('dueFrom')).toMatchObject({ schema: { type: 'string', format: 'date-time' } });
  expect(named('after')).toMatchObject({ schema: { type: 'string' } });
});
