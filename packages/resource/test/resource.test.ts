import { graphql, isObjectType, printType } from 'graphql';
import { expect, test } from 'vitest';
import { RULES, shopSchema } from './shop.ts';

const schema = shopSchema();
const rows = [1n, 2n, 2n ** 62n].map((id) => ({ id, color: 'red', due: new Date('2026-11-22') }));

async function ask(source: string, found = rows) {
  const queries: object[] = [];
  const find = (query: object) => {
    queries.push(query);
    return found;
  };
  const { data, errors } = await graphql({ schema, source, contextValue: { find } });
  return { answer: data, messages: errors?.map(({ message }) => message), queries };
}

test('a list is read by its filters, in the order of ids, from behind the last one seen', async () => {
  const { answer, queries } = await ask('{ orders(color: "red", limit: 3, after: 9) { id due } }');
  expect(queries).toEqual([
    { where: { color: 'red', id: { gt: 9n } }, orderBy: { id: 'asc' }, take: 3 },
  ]);
  expect(answer).toEqual({
    orders: ['1', '2', '4611686018427387904'].map((id) => ({ id, due: '2026-11-22' })),
  });
});

test.each([
  '{ orders { id customer { id } } }',
  'query { orders { id ...Buyer } } fragment Buyer on Order { customer { id } }',
  '{ ordersConnection { nodes { id } edges { node { customer { id } } } } }',
  '{ order(id: 1) { customer { id } } }',
])('%s is read with its relations', async (source) => {
  const { queries } = await ask(source);
  expect(queries).toMatchObject([{ include: { customer: true } }]);
});

test('a filter that is null filters nothing', async () => {
  const { queries } = await ask('{ orders(color: null, after: null) { id } }');
  expect(queries).toEqual([{ where: {}, orderBy: { id: 'asc' }, take: 20 }]);
});

test('a connection reads one row more, and tells whether there is more', async () => {
  const { answer, queries } = await ask(
    '{ ordersConnection(limit: 2) { nodes { id } edges { cursor node { id } } pageInfo { hasNextPage endCursor } } }',
  );
  expect(queries).toEqual([{ where: {}, orderBy: { id: 'asc' }, take: 3 }]);
  expect(answer).toEqual({
    ordersConnection: {
      nodes: [{ id: '1' }, { id: '2' }],
      edges: [
        { cursor: '1', node: { id: '1' } },
        { cursor: '2', node: { id: '2' } },
      ],
      pageInfo: { hasNextPage: true, endCursor: '2' },
    },
  });
});

test.each([
  ['last: 2', { where: {}, orderBy: { id: 'desc' }, take: 3 }],
  ['last: 2, before: 9', { where: { id: { lt: 9n } }, orderBy: { id: 'desc' }, take: 3 }],
  ['limit: 2, before: 9', { where: { id: { lt: 9n } }, orderBy: { id: 'desc' }, take: 3 }],
  ['first: 2, before: 9', { where: { id: { lt: 9n } }, orderBy: { id: 'asc' }, take: 3 }],
  ['color: "red", first: 0', { where: { color: 'red' }, orderBy: { id: 'asc' }, take: 1 }],
])('a connection of (%s) is one read next to where it begins', async (args, query) => {
  const { queries } = await ask(
    `{ ordersConnection(${args}) { nodes { id } pageInfo { startCursor endCursor } } }`,
  );
  expect(queries).toEqual([query]);
});

test('a row is fetched by its id, or NOT_FOUND, for an id that none can have without asking', async () => {
  expect(await ask('{ order(id: 2) { id } }')).toMatchObject({ queries: [{ where: { id: 2n } }] });
  expect(await ask('{ order(id: 2) { id } }', [])).toMatchObject({
    messages: ['There is no order with this id'],
  });
  expect(await ask('{ order(id: "x") { id } }')).toMatchObject({
    messages: ['There is no order with this id'],
    queries: [],
  });
});

test.each([
  ['limit: 0', 'limit must be an integer between 1 and 100'],
  ['after: "x"', 'after must be an integer between -9223372036854775808 and 9223372036854775807'],
])('a list refuses %s', async (args, message) => {
  expect(await ask(`{ orders(${args}) { id } }`)).toMatchObject({ messages: [message] });
});

test('descriptions speak of the type in its own words', () => {
  const connection = schema.getType('OrderEdge');
  expect(connection && printType(connection)).toContain(
    '"""An order and its position in the list."""',
  );
});

test('facts of types and fields are extensions of the schema', () => {
  const type = schema.getType('Order');
  expect(
    isObjectType(type) && [type.extensions.resource, type.getFields()['color']?.extensions],
  ).toMatchObject([{ plural: 'orders' }, { example: 'red' }]);
});

test('a day is taken and given without a time', async () => {
  const { answer } = await ask('{ nextDay(day: "2024-02-28") }');
  expect(answer).toEqual({ nextDay: '2024-02-29' });
});

test.each(['2026-02-29', '2026-11-22T00:00:00Z', '0000-01-01', '22.11.2026', ''])(
  '%j is no day',
  async (day) => {
    const { messages } = await ask(`{ nextDay(day: "${day}") }`);
    expect(messages?.[0]).toContain('a date such as 2026-11-22');
  },
);

test.each(['color', 'colors'] as const)(
  '%s without a rule for its text stops the start',
  (name) => {
    const { [name]: _left, ...rules } = RULES;
    expect(() => shopSchema(rules)).toThrow(`${name} needs the option rule, such as text(1, 255)`);
  },
);
