import { expect, test } from 'vitest';
import { memberAt, objectsIn } from '../support/json-members.ts';
import { idsOf, messageOf, openLibrary } from '../support/listed-library.ts';

/* Lists in other orders than that of ids. */

const { request, graphql, page, idsBy } = await openLibrary();

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
      const answer = await request(`/v1/${list}${query}`);
      ids.push(...idsOf(answer));
      query = /<([^>]*)>; rel="next"/.exec(answer.headers.get('Link') ?? '')?.[1] ?? '';
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

const LOAN_ORDERS =
  '[DUE_ASC] or [DUE_DESC] or [DUE_DESC, BORROWER_ASC] or [DUE_ASC, BORROWER_DESC]';
const LOAN_SORTS = 'sort must be due or -due or -due,borrower or due,-borrower';

test.each([
  [['BORROWER_ASC']],
  [['DUE_ASC', 'BORROWER_ASC']],
  [['DUE_ASC', 'DUE_ASC']],
  [[null]],
  [['ID']],
])('an order that is not declared is refused with those that are: %s', async (orderBy) => {
  const answer = await graphql(
    'query($orderBy: [LoanOrder!]) { loans(orderBy: $orderBy) { id } }',
    {
      orderBy,
    },
  );
  expect(messageOf(answer)).toBe(`orderBy must be ${LOAN_ORDERS}`);
});

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

test('the OpenAPI document has the parameters with the names of REST', async () => {
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
