import { graphql, parse } from 'graphql';
import { afterAll, expect, test } from 'vitest';
import { expectBoundedLists } from '@store-gateway/resource';
import { text } from '@store-gateway/graphql';
import { complexityOf } from '@store-gateway/graphql/execution';
import { openClients } from '../../packages/data/test/clients.ts';
import { models } from '../../packages/data/test/generated/batched-models.ts';
import {
  addAuthors,
  connectReader,
  rowsReadByAll,
  rowsSent,
} from '../../packages/data/test/rows-read.ts';
import { libraryBuilder } from '../support/library.ts';

const { batched, answeredBy, statements, connectionString, pool } = await openClients();
const client = await connectReader(connectionString);
afterAll(() => client.end());
// The last twentieth of each author's books is rare.
await addAuthors(pool, 2000);
await pool.query(`INSERT INTO "Book" (title, author_id, editor_id)
  SELECT CASE WHEN n > 57000 THEN 'rare' ELSE 'common' END, n % 100 + 1, 5
  FROM generate_series(1, 60000) AS n`);
await pool.query('ANALYZE');

const builder = libraryBuilder();
const Book = builder.prismaObject('Book', {
  resource: { plural: 'books' },
  fields: (t) => ({
    id: t.exposeID('id'),
    title: t.exposeString('title', { example: 'Ulysses' }),
    author: t.relation('author'),
  }),
});
const books = builder.listField(Book, {
  filters: (t) => ({ title: t.string({ rule: text(1, 20) }) }),
  find: (query, { database }) => database.book.findMany(query),
});
const Author = builder.prismaObject('Author', {
  fields: (t) => ({
    id: t.exposeID('id'),
    books: t.relation('books', { args: books.args, query: books.query }),
    firstBooks: t.relation('books', { query: { orderBy: { id: 'asc' }, take: 2 } }),
    between: t.relation('books', {
      args: { ...books.args, before: t.arg.id({ required: true }) },
      query: ({ before, ...args }) => {
        const { where, ...page } = books.query(args);
        return { ...page, where: { ...where, id: { ...where.id, lt: BigInt(before) } } };
      },
    }),
  }),
});
builder.queryType({
  fields: (t) => ({
    authors: t.prismaField({
      type: [Author],
      resolve: (query, _root, _args, { database }) =>
        database.author.findMany({ ...query, orderBy: { id: 'asc' }, take: 100 }),
    }),
  }),
});
const schema = builder.toSchema({ sortSchema: false });
expectBoundedLists(schema, models);

test.each([
  '{ authors { between(limit: 3, title: "common", after: 30000, before: 31000) { id } } }',
  '{ authors { id rare: books(limit: 1, title: "rare") { id } common: books(limit: 2, title: "common") { id } any: books(limit: 1) { id } } }',
  '{ authors { firstBooks { id author { id books(limit: 1, title: "rare") { id } } } } }',
  '{ books(limit: 5, title: "rare") { id author { books(limit: 2, title: "rare", after: 58000) { id } } } }',
])('%s reads at most twice as many rows as it returns, plus 100', async (source) => {
  statements.length = 0;
  answeredBy.length = 0;
  const { data, errors } = await graphql({ schema, source, contextValue: { database: batched } });
  expect(errors).toBeUndefined();
  expect(answeredBy.filter((name) => name.startsWith('engine'))).toEqual([]);
  const read = await rowsReadByAll(client, statements);
  const sent = rowsSent(Object.values(data ?? {}));
  expect(sent).toBeGreaterThanOrEqual(5);
  expect(read).toBeLessThanOrEqual(2 * sent + 100);
});

const complexity = (source: string) => complexityOf({ schema, document: parse(source) });

test("a relation's constant limit counts towards the complexity", () => {
  const one = complexity('{ authors { firstBooks { id } } }');
  expect(complexity('{ authors { firstBooks { id title } } }')).toBe(one + 2);
});
