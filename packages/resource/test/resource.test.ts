import { graphql, isObjectType, printType } from 'graphql';
import { expect, test } from 'vitest';
import { RULES, shopSchema } from './shop.ts';

const schema = shopSchema();
const rows = [1n, 2n, 2n ** 62n].map((id) => ({
  id,
  color: 'red',
  due: new Date('2026-11-22'),
  customer: { id },
}));

async function ask(source: string) {
  const queries: object[] = [];
  const find = (query: object) => {
    queries.push(query);
    return rows;
  };
  const { data } = await graphql({ schema, source, contextValue: { find } });
  return { answer: data, queries };
}

test('find gets the filters, the order and the page of a list, and the relations that are selected', async () => {
  const { answer, queries } = await ask(
    '{ orders(color: "red", limit: 3, after: 9) { id due ...Buyer } } fragment Buyer on Order { customer { id } }',
  );
  expect(queries).toEqual([
    {
      where: { color: 'red', id: { gt: 9n } },
      orderBy: { id: 'asc' },
      take: 3,
      include: { customer: true },
    },
  ]);
  expect(answer).toEqual({
    orders: ['1', '2', '4611686018427387904'].map((id) => ({
      id,
      due: '2026-11-22',
      customer: { id },
    })),
  });
});

test('a filter that is null has no condition', async () => {
  const { queries } = await ask('{ orders(color: null, after: null) { id } }');
  expect(queries).toEqual([{ where: {}, orderBy: { id: 'asc' }, take: 20 }]);
});

test.each([
  ['limit: 2', { where: {}, orderBy: { id: 'asc' }, take: 3 }],
  ['last: 2', { where: {}, orderBy: { id: 'desc' }, take: 3 }],
  ['last: 2, before: 9', { where: { id: { lt: 9n } }, orderBy: { id: 'desc' }, take: 3 }],
  ['limit: 2, before: 9', { where: { id: { lt: 9n } }, orderBy: { id: 'desc' }, take: 3 }],
  ['first: 2, before: 9', { where: { id: { lt: 9n } }, orderBy: { id: 'asc' }, take: 3 }],
  ['color: "red", first: 0', { where: { color: 'red' }, orderBy: { id: 'asc' }, take: 1 }],
])('a connection of (%s) reads one row more than its page', async (args, query) => {
  const { queries } = await ask(
    `{ ordersConnection(${args}) { nodes { id } pageInfo { startCursor endCursor } } }`,
  );
  expect(queries).toEqual([query]);
});

test('descriptions use the noun of the type', () => {
  const connection = schema.getType('OrderEdge');
  expect(connection && printType(connection)).toContain(
    '"""An order and its position in the list."""',
  );
});

test('options of types and fields become extensions of the schema', () => {
  const type = schema.getType('Order');
  expect(
    isObjectType(type) && [type.extensions.resource, type.getFields()['color']?.extensions],
  ).toMatchObject([{ plural: 'orders' }, { example: 'red' }]);
});

test.each(['color', 'colors'] as const)(
  'the start is refused if %s has no rule for its text',
  (name) => {
    const { [name]: _left, ...rules } = RULES;
    expect(() => shopSchema(rules)).toThrow(`${name} needs the option rule, such as text(1, 255)`);
  },
);
