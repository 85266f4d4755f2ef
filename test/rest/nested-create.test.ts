import { expect, test } from 'vitest';
import { int64, text } from '@store-gateway/graphql';
import { animalsBuilder, apiOf } from '../support/declared-store.ts';
import { createdPath } from '../support/links.ts';
import { startGateway } from '../support/gateway.ts';

/* A store whose animals are added below other animals: a category is the parent animal. */

const builder = animalsBuilder();
const Pet = builder.prismaObject('Pet', {
  resource: { plural: 'pets' },
  fields: (t) => ({
    id: t.exposeID('id'),
    name: t.exposeString('name', { example: 'Rex' }),
    categoryId: t.exposeID('categoryId', { example: 1 }),
  }),
});
builder.getField(Pet, { find: (query, { database }) => database.pet.findUnique(query) });
const NewPet = builder.inputType('NewPet', {
  fields: (t) => ({ name: t.string({ required: true, rule: text(1, 9) }) }),
});
builder.mutationField('createYoung', (t) =>
  t.field({
    type: Pet,
    idempotency: true,
    args: {
      categoryId: t.arg.id({ required: true, rule: int64 }),
      input: t.arg({ type: NewPet, required: true }),
    },
    resolve: (_root, { categoryId, input: { name } }, { database }) =>
      database.pet.create({ data: { name, categoryId: BigInt(categoryId), status: 'available' } }),
  }),
);
builder.queryType({});
builder.mutationType({});

const { database, request, post } = await startGateway({
  api: apiOf(builder.toSchema({ sortSchema: false }), 'Young', {
    'post /parents/:parentId/young': `mutation createYoung($parentId: ID!, $input: NewPet!) {
      createYoung(categoryId: $parentId, input: $input) { id name categoryId }
    }`,
    'get /pets/:petId': 'query getPet($petId: ID!) { pet(id: $petId) { id name categoryId } }',
  }),
});
await database.$executeRaw`ALTER TABLE pets ADD FOREIGN KEY (category_id) REFERENCES pets`;
await database.$executeRaw`INSERT INTO pets (id, name, category_id, status) VALUES (1000, 'Ida', 1000, 'sold')`;

test('a row that is created below its parent has the address from the route that gets it', async () => {
  const path = '/v1/parents/1000/young';
  const answer = await post(path, { name: 'Rex' });
  expect([answer.status, answer.headers.get('Location')]).toEqual([
    201,
    expect.stringMatching(/^\.\.\/\.\.\/pets\/\d+$/),
  ]);
  expect(await request(createdPath(answer, path))).toMatchObject({
    status: 200,
    text: answer.text,
  });
});

test.each(['7', 'x', '9223372036854775808'])(
  'a POST below an unknown parent, %s, returns 404',
  async (parent) => {
    const path = `/v1/parents/${parent}/young`;
    expect(await post(path, { name: 'Rex' })).toMatchObject({
      status: 404,
      json: { code: 'NOT_FOUND', message: 'There is nothing at this address', status: 404 },
    });
    expect((await post(path, { name: '' })).status).toBe(400);
  },
);

test('GraphQL names the argument that refers to a nonexistent row', async () => {
  const query = 'mutation { createYoung(categoryId: 7, input: { name: "Rex" }) { id } }';
  expect(await post('/graphql', { query })).toMatchObject({
    json: {
      errors: [
        {
          message: 'categoryId refers to something that does not exist',
          extensions: { code: 'BAD_USER_INPUT' },
        },
      ],
    },
  });
});

test('the contract documents the 404 and the Location of a create below a parent', async () => {
  const { json } = await request('/v1/openapi.json');
  expect(json).toMatchObject({
    paths: {
      '/parents/{parentId}/young': {
        post: { responses: { 404: { $ref: '#/components/responses/createYoung-NotFound' } } },
      },
    },
    components: { headers: { 'createYoung-Location': { example: '../../pets/42' } } },
  });
});
