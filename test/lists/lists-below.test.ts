import { isJsonObject } from '@store-gateway/ops';
import { expect, test } from 'vitest';
import { memberAt, objectsIn } from '../support/json-members.ts';
import { openLibrary } from '../support/listed-library.ts';

/* Relation lists can be selected under every query and mutation, however that finds its rows. */

const { graphql, idsBy } = await openLibrary();

interface Field {
  readonly name: string;
  readonly args: readonly { readonly name: string; readonly type: string }[];
  /** The object type that it leads to; undefined for a leaf. */
  readonly target: string | undefined;
  readonly isList: boolean;
}

/** The fields of each object type. */
const types = await introspected();

async function introspected(): Promise<ReadonlyMap<string, readonly Field[]>> {
  const type = 'kind name ofType { kind name ofType { kind name ofType { kind name } } }';
  const { json } = await graphql(
    `{ __schema { types { name kind fields(includeDeprecated: true) { name type { ${type} } args { name type { ${type} } } } } } }`,
  );
  return new Map(
    objectsIn(memberAt(json, 'data', '__schema', 'types'))
      .filter(({ kind }) => kind === 'OBJECT')
      .map((each) => [String(each['name']), objectsIn(each['fields']).map(fieldFrom)]),
  );
}

function fieldFrom({ name, type, args }: Record<string, unknown>): Field {
  const kinds = wrappers(type);
  const [kind = '', named = ''] = kinds.at(-1) ?? [];
  return {
    name: String(name),
    args: objectsIn(args).map((arg) => ({
      name: String(arg['name']),
      type: wrappers(arg['type']).at(-1)?.[1] ?? '',
    })),
    target: kind === 'OBJECT' ? named : undefined,
    isList: kinds.some(([each]) => each === 'LIST'),
  };
}

/** The kinds and names of a type, from the outside. */
function wrappers(type: unknown): readonly (readonly [kind: string, name: string])[] {
  return isJsonObject(type)
    ? [[String(type['kind']), String(type['name'])], ...wrappers(type['ofType'])]
    : [];
}

/** Selections of a type's relation lists, up to a depth. */
function listsOf(type: string, depth: number): readonly string[] {
  return (types.get(type) ?? []).flatMap(({ name, target, isList, args }): readonly string[] => {
    if (target === undefined) return [];
    const isPage = isList && args.some((arg) => arg.name === 'limit');
    const field = isPage ? `${name}(limit: 2)` : name;
    const below = depth > 1 && isPage === isList ? listsOf(target, depth - 1) : [];
    const lists = below.map((each) => `${field} { ${each} }`);
    return isPage ? lists.concat(`${field} { id }`) : lists;
  });
}

/** Arguments for a list, to be tried one at a time. */
function argumentsOf({ args }: Field): readonly string[] {
  const values = args.flatMap(({ name, type }) => {
    if (name === 'search' || name.endsWith('Prefix')) return [`${name}: "Emil"`];
    if (name === 'ids') return ['ids: ["1", "2", "3"]'];
    if (name === 'orderBy')
      return type === 'LoanOrder' ? ['orderBy: DUE_ASC'] : ['orderBy: TITLE_DESC'];
    if (name.endsWith('Before')) return [`${name}: "2026-01-03T00:00:00Z"`];
    return name.endsWith('Id') ? [`${name}: "1"`] : [];
  });
  return ['', ...values];
}

function reads(): readonly string[] {
  return (types.get('Query') ?? []).flatMap((field): readonly string[] => {
    const { name, target = '', isList, args } = field;
    const isConnection = target.endsWith('Connection');
    const type = isConnection ? target.replace(/Connection$/, '') : target;
    const isOne = args.some((arg) => arg.name === 'id');
    return listsOf(type, 3).flatMap((selection) => {
      if (isOne) return [`{ ${name}(id: "1") { ${selection} } }`];
      return argumentsOf(field).map((given) => {
        const all = [isList ? 'limit: 3' : 'first: 3', given]
          .filter((each) => each !== '')
          .join(', ');
        const rows = isConnection ? `edges { node { ${selection} } }` : selection;
        return `{ ${name}(${all}) { ${rows} } }`;
      });
    });
  });
}

const queries = reads();

test('the generated queries cover every root field that returns rows', () => {
  const fields = (types.get('Query') ?? []).filter(({ target }) => target !== undefined);
  expect(fields.length).toBeGreaterThan(8);
  expect(
    fields.filter(({ name }) => !queries.some((query) => query.startsWith(`{ ${name}(`))),
  ).toEqual([]);
  expect(queries.length).toBeGreaterThan(60);
});

test.each(queries)('%s is answered', async (query) => {
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

/** All relation lists of a row. */
const below = (type: string): string => listsOf(type, 3).join(' ');

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

test('deleteLoan returns the loans that its book still has', async () => {
  const [book = ''] = await idsBy('SELECT book_id AS id FROM loans WHERE id = 7');
  const query = `mutation { deleteLoan(id: "7") { book { id loans(limit: 100) { id } } } }`;
  const { json } = await graphql(query);
  const found = memberAt(json, 'data', 'deleteLoan', 'book');
  expect(memberAt(found, 'id')).toBe(book);
  expect(objectsIn(memberAt(found, 'loans')).map(({ id }) => id)).toEqual(
    await idsBy(`SELECT id FROM loans WHERE book_id = ${book} ORDER BY id`),
  );
});
