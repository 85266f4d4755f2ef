import {
  buildSchema,
  getNamedType,
  getNullableType,
  isListType,
  isObjectType,
  type GraphQLField,
  type GraphQLObjectType,
} from 'graphql';
import { expect, test } from 'vitest';
import { memberAt, objectsIn } from '../support/json-members.ts';
import { openLibrary } from '../support/stores.ts';

/* Relation lists can be selected under every query and mutation, however it finds its rows. */

const { request, graphql, idsBy } = await openLibrary();
const schema = buildSchema((await request('/schema.graphql')).text);

type AnyField = GraphQLField<unknown, unknown>;

const fieldsOf = (type: GraphQLObjectType | null | undefined): readonly AnyField[] =>
  Object.values(type?.getFields() ?? {});

/** The object type of a field; undefined for a leaf. */
function targetOf({ type }: AnyField): GraphQLObjectType | undefined {
  const target = getNamedType(type);
  return isObjectType(target) ? target : undefined;
}

const isList = ({ type }: AnyField): boolean => isListType(getNullableType(type));

/** Selections of a type's relation lists, up to a depth. */
function listsOf(type: GraphQLObjectType, depth: number): readonly string[] {
  return fieldsOf(type).flatMap((each): readonly string[] => {
    const target = targetOf(each);
    if (target === undefined) return [];
    const isPage = isList(each) && each.args.some(({ name }) => name === 'limit');
    const field = isPage ? `${each.name}(limit: 2)` : each.name;
    const nested = depth > 1 && isPage === isList(each) ? listsOf(target, depth - 1) : [];
    const lists = nested.map((selection) => `${field} { ${selection} }`);
    return isPage ? lists.concat(`${field} { id }`) : lists;
  });
}

/** Arguments for a list, to be tried one at a time. */
function argumentsOf({ args }: AnyField): readonly string[] {
  const values = args.flatMap(({ name, type }) => {
    if (name === 'search' || name.endsWith('Prefix')) return [`${name}: "Emil"`];
    if (name === 'ids') return ['ids: ["1", "2", "3"]'];
    if (name === 'orderBy')
      return [`orderBy: ${getNamedType(type).name === 'LoanOrder' ? 'DUE_ASC' : 'TITLE_DESC'}`];
    if (name.endsWith('Before')) return [`${name}: "2026-01-03T00:00:00Z"`];
    return name.endsWith('Id') ? [`${name}: "1"`] : [];
  });
  return ['', ...values];
}

const roots = fieldsOf(schema.getQueryType());

const queries = roots.flatMap((field): readonly string[] => {
  const { name, args } = field;
  const nodes = fieldsOf(targetOf(field)).find((each) => each.name === 'nodes');
  const type = targetOf(nodes ?? field);
  return (type === undefined ? [] : listsOf(type, 3)).flatMap((selection) => {
    if (args.some((arg) => arg.name === 'id')) return [`{ ${name}(id: "1") { ${selection} } }`];
    const rows = nodes === undefined ? selection : `edges { node { ${selection} } }`;
    const size = nodes === undefined ? 'limit: 3' : 'first: 3';
    return argumentsOf(field).map((given) => `{ ${name}(${size} ${given}) { ${rows} } }`);
  });
});

test('the generated queries cover every root field that returns rows', () => {
  const fields = roots.filter((field) => targetOf(field) !== undefined);
  expect(fields.length).toBeGreaterThan(8);
  expect(
    fields.filter(({ name }) => !queries.some((query) => query.startsWith(`{ ${name}(`))),
  ).toEqual([]);
  expect(queries.length).toBeGreaterThan(60);
});

test.each(queries)('%s succeeds', async (query) => {
  const { json } = await graphql(query);
  expect(memberAt(json, 'errors')).toBeUndefined();
  expect(memberAt(json, 'data')).not.toBeNull();
});

test('a search returns the loans of each book that it finds', async () => {
  const { json } = await graphql(
    '{ books(search: "Emil", limit: 20) { id loans(limit: 5) { id } } }',
  );
  const found = objectsIn(memberAt(json, 'data', 'books'));
  expect(found).toHaveLength(20);
  for (const { id, loans } of found) {
    expect(objectsIn(loans).map((loan) => loan['id'])).toEqual(
      await idsBy(`SELECT id FROM loans WHERE book_id = ${String(id)} ORDER BY id`),
    );
  }
});

/** A selection of all relation lists of a type. */
function below(name: string): string {
  const type = schema.getType(name);
  return isObjectType(type) ? listsOf(type, 3).join(' ') : '';
}

test.each([
  ['createAuthor', 'input: { name: "New" }', below('Author')],
  ['createBook', 'input: { title: "New", isbn: "9999999999", authorId: "1" }', below('Book')],
  ['updateBook', 'id: "2", input: { title: "Other" }', below('Book')],
  [
    'replaceBook',
    'id: "3", input: { title: "Other", isbn: "8888888888", authorId: "2" }',
    below('Book'),
  ],
  [
    'createLoan',
    'input: { borrower: "Ada", due: "2026-01-03T00:00:00Z", bookId: "4" }',
    below('Loan'),
  ],
  ['returnLoan', 'id: "5"', below('Loan')],
  ['deleteLoan', 'id: "6"', below('Loan')],
])('%s returns the relation lists of its row', async (mutation, args, selection) => {
  const { json } = await graphql(`mutation { ${mutation}(${args}) { id ${selection} } }`);
  expect(memberAt(json, 'errors')).toBeUndefined();
  expect(memberAt(json, 'data', mutation, 'id')).toEqual(expect.any(String));
});

test("deleteLoan returns the book's remaining loans", async () => {
  const [book = ''] = await idsBy('SELECT book_id AS id FROM loans WHERE id = 7');
  const query = `mutation { deleteLoan(id: "7") { book { id loans(limit: 100) { id } } } }`;
  const { json } = await graphql(query);
  const found = memberAt(json, 'data', 'deleteLoan', 'book');
  expect(memberAt(found, 'id')).toBe(book);
  expect(objectsIn(memberAt(found, 'loans')).map(({ id }) => id)).toEqual(
    await idsBy(`SELECT id FROM loans WHERE book_id = ${book} ORDER BY id`),
  );
});
