import { execute, graphql, type GraphQLSchema } from 'graphql';
import { expect, test } from 'vitest';
import { printJson } from '@store-gateway/rest/openapi';
import { createRest, PAGE_INFO, createEndpoints } from '@store-gateway/rest';
import { openClients } from '../../packages/data/test/clients.ts';
import { onFileFinished } from '../support/clean-up.ts';
import { memberAt } from '../support/json-members.ts';
import { libraryBuilder } from '../support/library.ts';
import { serveEndpoints } from '../support/serve-endpoints.ts';

const { batched, pool, answeredBy } = await openClients();
// The order of texts depends on the collation. This one sorts upper and lower case together.
await pool.query(`ALTER TABLE "WithCuid" ALTER id TYPE text COLLATE "und-x-icu";
  INSERT INTO "WithCuid" (id, name) SELECT id, 'text' FROM unnest(ARRAY['b', 'A', 'a', 'B', '10', '9', 'é', 'z/ü?&', 'f g']) AS id;
  INSERT INTO "Author" (id, name, email) SELECT id, 'int', id FROM unnest(ARRAY[-2147483648, -1, 0, 9, 10, 2147483647]) AS id;
  INSERT INTO "Book" (id, title, author_id) SELECT id, 'bigint', 9 FROM unnest(ARRAY[-9223372036854775808, 9007199254740993, 9007199254740992, 9223372036854775807]) AS id;
  INSERT INTO "Shelf" (id) SELECT ('00000000-0000-4000-8000-00000000000' || n)::uuid FROM generate_series(0, 9) AS n;
  INSERT INTO "Item" (id, shelf_id) SELECT gen_random_uuid(), id FROM "Shelf"`);

/** A schema with lists, connections and gets for each id type: two integer sizes, text and UUIDs. */
function schemaOfIds(): GraphQLSchema {
  const builder = libraryBuilder();
  const Author = builder.prismaObject('Author', {
    resource: { plural: 'authors' },
    fields: (t) => ({ id: t.exposeID('id') }),
  });
  const Book = builder.prismaObject('Book', {
    resource: { plural: 'books' },
    fields: (t) => ({ id: t.exposeID('id'), authorId: t.exposeID('authorId') }),
  });
  const Note = builder.prismaObject('WithCuid', {
    name: 'Note',
    resource: { plural: 'notes' },
    fields: (t) => ({ id: t.exposeID('id') }),
  });
  const Item = builder.prismaObject('Item', {
    resource: { plural: 'items' },
    fields: (t) => ({ id: t.exposeID('id'), shelfId: t.exposeID('shelfId') }),
  });
  const items = builder.listField(Item, {
    filters: (t) => ({ shelfId: t.id() }),
    find: (query, { database }) => database.item.findMany(query),
  });
  const Shelf = builder.prismaObject('Shelf', {
    resource: { plural: 'shelves' },
    fields: (t) => ({
      id: t.exposeID('id'),
      items: t.relation('items', { args: items.args, query: items.query }),
    }),
  });
  builder.connectionField(items);
  builder.connectionField(
    builder.listField(Author, { find: (query, { database }) => database.author.findMany(query) }),
  );
  builder.connectionField(
    builder.listField(Book, {
      filters: (t) => ({ authorId: t.id() }),
      find: (query, { database }) => database.book.findMany(query),
    }),
  );
  builder.connectionField(
    builder.listField(Note, { find: (query, { database }) => database.withCuid.findMany(query) }),
  );
  builder.connectionField(
    builder.listField(Shelf, { find: (query, { database }) => database.shelf.findMany(query) }),
  );
  builder.getField(Author, { find: (query, { database }) => database.author.findUnique(query) });
  builder.getField(Book, { find: (query, { database }) => database.book.findUnique(query) });
  builder.getField(Note, { find: (query, { database }) => database.withCuid.findUnique(query) });
  builder.getField(Shelf, { find: (query, { database }) => database.shelf.findUnique(query) });
  builder.queryType({});
  return builder.toSchema({ sortSchema: false });
}

const schema = schemaOfIds();
const contextValue = { database: batched };

const RESOURCES = [
  ['author', 'authors', 'Author', 'integer', 'int32', ['x', '', '1.0', '2147483648', '1e3']],
  ['book', 'books', 'Book', 'integer', 'int64', ['x', '01', '9223372036854775808']],
  ['note', 'notes', 'WithCuid', 'string', undefined, ['\0']],
  ['shelf', 'shelves', 'Shelf', 'string', 'uuid', ['x', '1', '{}', '00000000-0000-4000-8000']],
] as const;

const rest = createRest({
  schema,
  routes: RESOURCES.flatMap(([one, plural]) => [
    {
      method: 'get',
      path: `/${plural}`,
      summary: plural,
      document: `query ${plural}($limit: Int, $after: ID) {
        ${plural}Connection(limit: $limit, after: $after) { nodes { id } ${PAGE_INFO} }
      }`,
      status: 200,
    },
    {
      method: 'get',
      path: `/${plural}/:id`,
      summary: one,
      document: `query ${one}($id: ID!) { ${one}(id: $id) { id } }`,
      status: 200,
    },
  ]),
  basePath: '/v1',
  info: { title: 'Library', version: '1.0.0' },
  messages: {},
});
const endpoints = createEndpoints(rest, {
  documentation: '/docs',
  admit: () => Promise.resolve({ caller: 'me', waited: 0, turn: () => Promise.resolve() }),
  execute: async ({ document, variableValues }) =>
    execute({ schema, document, variableValues, contextValue }),
});
const { url, close: stop } = await serveEndpoints(endpoints);
onFileFinished(stop);
const base = `${url}/v1`;

async function idsByDatabase(table: string): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(
    `SELECT id::text AS id FROM "${table}" ORDER BY "${table}".id`,
  );
  return rows.map(({ id }) => id);
}

async function ask(source: string, variableValues: Record<string, unknown> = {}): Promise<unknown> {
  return graphql({ schema, source, variableValues, contextValue });
}

test.each(RESOURCES)(
  "pages of %s rows follow the database's order in both APIs, and each row can be fetched by its id",
  async (one, plural, table, type) => {
    const ids = await idsByDatabase(table);
    const page = async (given: string): Promise<unknown> => {
      const answer = await ask(
        `{ ${plural}Connection(${given}) { nodes { id } pageInfo { hasNextPage hasPreviousPage } } }`,
      );
      return memberAt(answer, 'data', `${plural}Connection`);
    };
    for (const [index, id] of ids.entries()) {
      const cursor = JSON.stringify(id);
      const last = JSON.stringify(ids.at(-1));
      const behind = ids.slice(index + 1);
      answeredBy.length = 0;
      for (const [given, expected, hasNextPage, hasPreviousPage] of [
        [`first: 2, after: ${cursor}`, behind.slice(0, 2), behind.length > 2, true],
        [`last: 2, before: ${cursor}`, ids.slice(0, index).slice(-2), true, index > 2],
        [`first: 9, after: ${cursor}, before: ${last}`, behind.slice(0, -1), false, true],
      ] as const) {
        expect(await page(given)).toEqual({
          nodes: expected.map((each) => ({ id: each })),
          pageInfo: { hasNextPage, hasPreviousPage },
        });
      }
      const found = await ask(`query($id: ID!) { ${one}(id: $id) { id } }`, { id });
      expect(found).toEqual({ data: { [one]: { id } } });
      expect(answeredBy.filter((name) => name.startsWith('engine'))).toEqual([]);
    }

    const written = ids.map((id) => (type === 'integer' ? id : JSON.stringify(id)));
    let text = '';
    let next: string | undefined = `${base}/${plural}?limit=3`;
    while (next !== undefined) {
      const response: Response = await fetch(next);
      text += await response.text();
      const link = /<([^>]*)>; rel="next"/.exec(response.headers.get('Link') ?? '')?.[1];
      next = link && new URL(link, next).href;
    }
    expect(text.replaceAll('][', ',')).toBe(`[${written.map((id) => `{"id":${id}}`).join()}]`);
    for (const [index, id] of ids.entries()) {
      const response = await fetch(`${base}/${plural}/${encodeURIComponent(id)}`);
      expect([response.status, await response.text()]).toEqual([200, `{"id":${written[index]}}`]);
    }
  },
);

test.each(RESOURCES)(
  'an invalid %s id fails with NOT_FOUND in a get and with BAD_USER_INPUT as a cursor',
  async (one, plural, _table, _type, _format, malformed) => {
    for (const id of malformed) {
      expect(await ask(`query($id: ID!) { ${one}(id: $id) { id } }`, { id })).toMatchObject({
        errors: [{ extensions: { code: 'NOT_FOUND' } }],
      });
      for (const list of [plural, `${plural}Connection`]) {
        const source = `query($id: ID!) { ${list}(after: $id) { __typename } }`;
        expect(await ask(source, { id })).toMatchObject({
          errors: [{ extensions: { code: 'BAD_USER_INPUT', faults: [{ path: ['after'] }] } }],
        });
      }
      const cursor = encodeURIComponent(id);
      expect((await fetch(`${base}/${plural}?after=${cursor}`)).status).toBe(400);
      const path = cursor === '' ? 'x/' : cursor;
      expect((await fetch(`${base}/${plural}/${path}`)).status).toBe(404);
    }
  },
);

test.each([
  ['items(shelfId: "x")', 'shelfId'],
  ['itemsConnection(shelfId: "x")', 'shelfId'],
  ['books(authorId: "9007199254740993")', 'authorId'],
  ['books(authorId: "x")', 'authorId'],
])('the error for %s names the invalid filter', async (field, name) => {
  expect(await ask(`{ ${field} { __typename } }`)).toMatchObject({
    errors: [{ extensions: { code: 'BAD_USER_INPUT', faults: [{ path: [name] }] } }],
  });
});

test('lists and relations can be filtered by UUIDs in upper case', async () => {
  const [shelf = ''] = await idsByDatabase('Shelf');
  const answer = await ask(
    `query($id: ID) { items(shelfId: $id) { shelfId } shelves(limit: 2) { items(shelfId: $id) { shelfId } } }`,
    { id: shelf.toUpperCase() },
  );
  const found = [{ shelfId: shelf }];
  expect(answer).toEqual({ data: { items: found, shelves: [{ items: found }, { items: [] }] } });
});

test.each(RESOURCES)(
  'OpenAPI describes the id of each %s',
  async (_one, plural, _table, type, format) => {
    const document: unknown = JSON.parse(await printJson(rest));
    const expected = { type, ...(format !== undefined && { format }) };
    for (const [path, name] of [
      [`/${plural}/{id}`, 'id'],
      [`/${plural}`, 'after'],
    ] as const) {
      const parameters = memberAt(document, 'paths', path, 'get', 'parameters');
      const list: readonly unknown[] = Array.isArray(parameters) ? parameters : [];
      const parameter = list.find((each) => memberAt(each, 'name') === name);
      expect(memberAt(parameter, 'schema')).toMatchObject(expected);
    }
  },
);

test('a model with an unsupported id type is rejected', () => {
  const other = libraryBuilder();
  const type = other.prismaObject('WithVarcharId', {
    resource: { plural: 'others' },
    fields: (t) => ({ id: t.exposeID('id') }),
  });
  expect(() =>
    other.listField(type, {
      find: (query, { database }) => database.withVarcharId.findMany(query),
    }),
  ).toThrow("WithVarcharId can't be listed or fetched");
});
