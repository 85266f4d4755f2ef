import { randomUUID } from 'node:crypto';
import SchemaBuilder from '@pothos/core';
import { type DocumentNode, parse } from 'graphql';
import { expect, test } from 'vitest';
import { builderOptions, type BuilderTypes } from '@store-gateway/gateway/schema';
import { int64, text } from '@store-gateway/graphql';
import { createExecute } from '@store-gateway/graphql/execution';
import { openClients } from '../../packages/data/test/clients.ts';
import { ORDINARY } from '../../packages/data/test/column-values.ts';
import { models } from '../../packages/data/test/generated/batched-models.ts';
import type PrismaTypes from '../../packages/data/test/generated/pothos.ts';
import { memberAt } from '../support/json-members.ts';
import { getDatamodel } from '../../packages/data/test/generated/pothos.ts';

/* Rows with columns that have defaults, including a JSON column that may contain a number or a string in the same place. */

const { batched: database } = await openClients();

const builder = new SchemaBuilder<BuilderTypes<typeof database, PrismaTypes>>(
  builderOptions(models, getDatamodel()),
);
const Json = builder.jsonType();
const Page = builder.prismaObject('AllDefaults', {
  name: 'Page',
  resource: { plural: 'pages' },
  fields: (t) => ({
    id: t.exposeID('id'),
    float: t.exposeFloat('float', { example: 1.5 }),
    json: t.expose('json', { type: Json }),
  }),
});
builder.createField(Page, {
  input: (t) => ({ float: t.float(), number: t.int() }),
  create: ({ data: { float, number } }, context) =>
    context.database.allDefaults.create({
      data: { ...(float === undefined ? {} : { float }), number: number ?? null },
    }),
});
builder.updateField(Page, {
  input: (t) => ({ json: t.field({ type: Json }) }),
  find: (query, context) => context.database.allDefaults.findUnique(query),
  update: ({ data: { json }, ...query }, context) =>
    context.database.allDefaults.update({ ...query, data: json == null ? {} : { json } }),
});
const Author = builder.prismaObject('Author', {
  resource: { plural: 'authors' },
  fields: (t) => ({ id: t.exposeID('id'), name: t.exposeString('name') }),
});
builder.createField(Author, {
  input: (t) => ({ name: t.string({ required: true, rule: text(0, 10_000) }), email: t.id() }),
  create: ({ data: { name, email = randomUUID() } }, context) =>
    context.database.author.create({ data: { name, email } }),
});
const Order = builder.prismaObject('Everything', {
  name: 'Order',
  resource: { plural: 'orders' },
  fields: (t) => ({
    id: t.exposeID('id'),
    strings: t.exposeStringList('strings'),
    bigInts: t.exposeIDList('bigInts'),
  }),
});
builder.createField(Order, {
  input: (t) => ({ strings: t.idList({ required: true }), bigInts: t.idList({ required: true }) }),
  create: ({ data }, context) =>
    context.database.everything.create({ data: { ...ORDINARY, ...data } }),
});
builder.queryType({ fields: (t) => ({ now: t.int({ resolve: () => 1 }) }) });
builder.mutationType();
const schema = builder.toSchema();

const execute = createExecute<string>(schema, {
  services: {},
  contextOf: ({ caller, ...request }) => ({
    ...request,
    caller: { id: 1n, scopes: 'all' },
    database,
    now: Date.now,
    versionKey: caller,
    violatedFields: () => Promise.resolve({}),
  }),
});

const UPDATE = parse(`mutation Update($id: ID!, $json: Json!, $expected: [String!], $key: String) {
  updatePage(id: $id, input: { json: $json }, expected: $expected, idempotencyKey: $key) { version json }
}`);

const CREATE = parse('mutation Create($input: NewPage!) { createPage(input: $input) { float } }');

/** Updates a page in a database whose secret is `versionKey`. */
async function update(variableValues: object, versionKey = 'secret') {
  const { data, errors } = await execute(
    { document: UPDATE, variableValues: { ...variableValues } },
    { caller: versionKey, idempotencyKey: undefined },
  );
  return { page: data?.['updatePage'], code: errors?.[0]?.extensions['code'] };
}

async function newPage(json: object): Promise<string> {
  return (await database.allDefaults.create({ data: { json } })).id;
}

test('a JSON number and a string with the same digits give a row different versions', async () => {
  const id = await newPage({ a: 0 });
  const { page } = await update({ id, json: { a: 1 } });
  await update({ id, json: { a: '1' } });
  const expected = [memberAt(page, 'version')];
  expect(await update({ id, json: { a: 2 }, expected })).toEqual({
    page: null,
    code: 'PRECONDITION_FAILED',
  });
  const { json } = await database.allDefaults.findUniqueOrThrow({ where: { id } });
  expect(json).toEqual({ a: '1' });
});

test('an idempotency key that was used with a JSON number rejects a string with the same digits', async () => {
  const id = await newPage({ a: 0 });
  const first = await update({ id, json: { a: 1 }, key: id });
  expect(first.page).toMatchObject({ json: { a: 1 } });
  expect(await update({ id, json: { a: 1 }, key: id })).toEqual(first);
  expect((await update({ id, json: { a: '1' }, key: id })).code).toBe('IDEMPOTENCY_KEY_REUSED');
});

test("a row version depends on the database's secret", async () => {
  const id = await newPage({ a: 0 });
  const json = { a: 1 };
  const { page } = await update({ id, json });
  expect(await update({ id, json })).toEqual({ page, code: undefined });
  const { page: elsewhere } = await update({ id, json }, 'another secret');
  expect(memberAt(elsewhere, 'version')).toMatch(/^[\w-]{22}$/);
  expect(elsewhere).not.toEqual(page);
});

/** Executes a mutation that creates a row. */
function create(document: DocumentNode, input: object) {
  return execute(
    { document, variableValues: { input } },
    { caller: 'secret', idempotencyKey: undefined },
  );
}

test('a required column with a default rejects null and has its default if it is omitted', async () => {
  expect(await create(CREATE, { number: null })).toEqual({ data: { createPage: { float: 1.5 } } });
  expect((await create(CREATE, { float: null })).errors).toMatchObject([
    { message: 'float must be a number', extensions: { code: 'BAD_USER_INPUT' } },
  ]);
});

const CREATE_AUTHOR = parse(
  'mutation Create($input: NewAuthor!) { createAuthor(input: $input) { name } }',
);

test.each(['', 'x'.repeat(10_000)])(
  'a text column accepts any text that its rule allows, even one that is not valid as an id',
  async (name) => {
    expect(await create(CREATE_AUTHOR, { name })).toEqual({ data: { createAuthor: { name } } });
  },
);

test.each(['a\0', '\uD800'])(
  'an ID for a text column that cannot store it is rejected: %j',
  async (email) => {
    expect((await create(CREATE_AUTHOR, { name: 'Ada', email })).errors).toMatchObject([
      {
        message: 'email must be a string without NUL or unpaired surrogates',
        extensions: { code: 'BAD_USER_INPUT' },
      },
    ]);
  },
);

const CREATE_ORDER = parse(
  'mutation Create($input: NewOrder!) { createOrder(input: $input) { strings bigInts } }',
);

test('the IDs in a list column are converted to its type', async () => {
  const lists = { strings: ['', 'b'], bigInts: ['9223372036854775807'] };
  expect(await create(CREATE_ORDER, lists)).toEqual({ data: { createOrder: lists } });
});

test.each([
  ['strings', 'a\0', 'strings must be a string without NUL or unpaired surrogates'],
  ['strings', '\uD800', 'strings must be a string without NUL or unpaired surrogates'],
  ['bigInts', 'x', `bigInts must be ${int64.expected}`],
])('an ID that the list column %s cannot store is rejected: %j', async (column, id, message) => {
  const input = { strings: [], bigInts: [], [column]: ['1', id] };
  expect((await create(CREATE_ORDER, input)).errors).toMatchObject([
    { message, extensions: { code: 'BAD_USER_INPUT' } },
  ]);
});
