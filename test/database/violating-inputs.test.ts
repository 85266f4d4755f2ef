import { graphql } from 'graphql';
import { expect, test } from 'vitest';
import { text } from '@store-gateway/graphql';
import { createViolatedFields, violationOf } from '@store-gateway/postgres';
import { openClients } from '../../packages/data/test/clients.ts';
import { models } from '../../packages/data/test/generated/batched-models.ts';
import { libraryBuilder } from '../support/library.ts';

const { batched, pool } = await openClients();
await pool.query('ALTER TABLE "Author" ALTER name TYPE varchar(5), ALTER email TYPE varchar(20)');

const violatedFields = createViolatedFields(pool, models);
const builder = libraryBuilder(undefined, async (error) => {
  const violation = violationOf(error);
  return violation && { kind: violation.kind, ...(await violatedFields(violation)) };
});
const NewAuthor = builder.inputType('NewAuthor', {
  fields: (t) => ({
    name: t.string({ required: true, rule: text(1, 255) }),
    email: t.string({ required: true, rule: text(1, 255) }),
  }),
});
builder.queryType({ fields: (t) => ({ none: t.boolean({ resolve: () => true }) }) });
builder.mutationType({
  fields: (t) => ({
    addAll: t.int({
      args: { authors: t.arg({ type: [NewAuthor], required: true }) },
      resolve: async (_root, { authors }) =>
        (await batched.author.createMany({ data: authors })).count,
    }),
    publish: t.string({
      args: {
        authorId: t.arg.int({ required: true }),
        editorId: t.arg.int({ required: true }),
      },
      resolve: async (_root, { authorId, editorId }) => {
        const author = { connect: { id: authorId } };
        const editor = { connect: { id: editorId } };
        return (await batched.book.create({ data: { title: 'x', author, editor } })).title;
      },
    }),
  }),
});
const schema = builder.toSchema();

async function faultsOf(source: string) {
  const { errors } = await graphql({ schema, source: `mutation { ${source} }` });
  return errors?.map(({ extensions: { code, faults } }) => ({ code, faults }));
}

test('values that are too long for their columns are reported with their indexes in the list', async () => {
  const authors = ['Ann', 'Barbara', 'Cyd', 'Donatella'];
  const sent = authors.map((name) => `{ name: "${name}", email: "${name}@b.example" }`);
  expect(await faultsOf(`addAll(authors: [${sent.join(' ')}])`)).toEqual([
    {
      code: 'BAD_USER_INPUT',
      faults: [1, 3].map((index) => ({
        path: ['authors', index, 'name'],
        message: 'name is too large or too long',
      })),
    },
  ]);
});

test('a taken value in one of several list items is reported with the path of the list', async () => {
  const ann = '{ name: "Ann", email: "a@a" }';
  expect(await faultsOf(`addAll(authors: [${ann}])`)).toBeUndefined();
  const fault = { path: ['authors'], message: 'email is already taken' };
  expect(await faultsOf(`addAll(authors: [${ann} { name: "Bob", email: "b@b" }])`)).toEqual([
    { code: 'CONFLICT', faults: [fault] },
  ]);
  expect(await faultsOf(`addAll(authors: [${ann}])`)).toEqual([
    { code: 'CONFLICT', faults: [{ ...fault, path: ['authors', 0, 'email'] }] },
  ]);
});

test('a Prisma connect to a missing row is reported with the input that refers to the row', async () => {
  const { id } = await batched.author.create({ data: { name: 'Eve', email: 'e@e' } });
  for (const [authorId, editorId, missing] of [
    [id, 404, 'editorId'],
    [404, id, 'authorId'],
  ]) {
    expect(await faultsOf(`publish(authorId: ${authorId}, editorId: ${editorId})`)).toEqual([
      {
        code: 'BAD_USER_INPUT',
        faults: [
          { path: [missing], message: `${missing} refers to something that does not exist` },
        ],
      },
    ]);
  }
});
