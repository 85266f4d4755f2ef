import { graphql, isObjectType, printType } from 'graphql';
import { expect, test } from 'vitest';
import { loansSchema, RULES } from './loans.ts';

const schema = loansSchema();
const rows = [1n, 2n, 2n ** 62n].map((id) => ({
  id,
  title: 'Emma',
  day: new Date('2026-11-22'),
  author: { id: 1 },
}));

async function ask(source: string) {
  const queries: object[] = [];
  const findMany = (query: object) => {
    queries.push(query);
    return Promise.resolve(rows);
  };
  const contextValue = { database: { loan: { findMany } } };
  const { data } = await graphql({ schema, source, contextValue });
  return { answer: data, queries };
}

test('find receives the filters, order and page of a list, and its selected relations', async () => {
  const { answer, queries } = await ask(
    '{ loans(title: "Emma", limit: 3, after: 9) { id day ...By } } fragment By on Loan { author { id } }',
  );
  expect(queries).toEqual([
    {
      where: { title: 'Emma', id: { gt: 9n } },
      orderBy: { id: 'asc' },
      take: 3,
      include: { author: true },
    },
  ]);
  expect(answer).toEqual({
    loans: ['1', '2', '4611686018427387904'].map((id) => ({
      id,
      day: '2026-11-22',
      author: { id: '1' },
    })),
  });
});

test('a filter that is null adds no condition', async () => {
  const { queries } = await ask('{ loans(title: null, after: null) { id } }');
  expect(queries).toEqual([{ where: {}, orderBy: { id: 'asc' }, take: 20 }]);
});

test.each([
  ['limit: 2', { where: {}, orderBy: { id: 'asc' }, take: 3 }],
  ['last: 2', { where: {}, orderBy: { id: 'desc' }, take: 3 }],
  ['last: 2, before: 9', { where: { id: { lt: 9n } }, orderBy: { id: 'desc' }, take: 3 }],
  ['limit: 2, before: 9', { where: { id: { lt: 9n } }, orderBy: { id: 'desc' }, take: 3 }],
  ['first: 2, before: 9', { where: { id: { lt: 9n } }, orderBy: { id: 'asc' }, take: 3 }],
  ['title: "Emma", first: 0', { where: { title: 'Emma' }, orderBy: { id: 'asc' }, take: 1 }],
])('a connection with the arguments (%s) reads one row more than its page', async (args, query) => {
  const { queries } = await ask(
    `{ loansConnection(${args}) { nodes { id } pageInfo { startCursor endCursor } } }`,
  );
  expect(queries).toEqual([query]);
});

test('generated descriptions use the noun of the resource type', () => {
  const connection = schema.getType('LoanEdge');
  expect(connection && printType(connection)).toContain(
    '"""A loan and its position in the list."""',
  );
});

test('options of types and fields become extensions in the schema', () => {
  const type = schema.getType('Loan');
  expect(
    isObjectType(type) && [type.extensions.resource, type.getFields()['title']?.extensions],
  ).toMatchObject([{ plural: 'loans' }, { example: 'Emma' }]);
});

test.each([
  ['title', 'title needs the option rule, such as text(1, 255)'],
  ['colors', 'colors needs the option rule, such as text(1, 255)'],
  // Without a rule, the column would round values.
  ['price', 'value needs the option rule, such as decimal(65, 30)'],
] as const)('the schema cannot be built if the input for %s has no rule', (name, message) => {
  const { [name]: _left, ...rules } = RULES;
  expect(() => loansSchema(rules)).toThrow(message);
});
