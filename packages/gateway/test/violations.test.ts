import { expect, test } from 'vitest';
import { defineError } from '@store-gateway/ops/errors';
import { startGateway } from '../../../test/support/gateway.ts';

const kind = { status: 409, description: 'It is one animal too many.', example: 'One too many' };
const nameTaken = defineError({ ...kind, code: 'NAME_TAKEN' });
const noRats = defineError({ ...kind, code: 'NO_RATS', status: 422 });

const { database, graphql, request } = await startGateway({
  api: {
    violations: {
      one_of_a_name: () => nameTaken('Another animal has this name'),
      no_rats: () => noRats('Rats are not sold here'),
    },
  },
});
await database.$executeRaw`ALTER TABLE pets ADD CONSTRAINT one_of_a_name UNIQUE (name),
  ADD CONSTRAINT no_rats CHECK (name <> 'rat'), ADD CONSTRAINT some_kind CHECK (category_id < 9)`;

const create = (body: object, headers = {}) =>
  request('/v1/pets', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
await create({ name: 'Rex', categoryId: 1 });

test.each([
  ['Rex', 'NAME_TAKEN', 409, 'Another animal has this name'],
  ['rat', 'NO_RATS', 422, 'Rats are not sold here'],
])(
  'the constraint that refuses %s is an error of the store’s own',
  async (name, code, status, message) => {
    const input = { name, categoryId: 1 };
    for (const headers of [{}, { 'Idempotency-Key': name }]) {
      expect(await create(input, headers)).toMatchObject({
        status,
        json: { code, status, message },
      });
    }
    const { json } = await graphql(
      'mutation($input: NewPet!) { createPet(input: $input) { id } }',
      {
        input,
      },
    );
    expect(json).toMatchObject({ errors: [{ message, extensions: { code, status } }] });
  },
);

test('a constraint without one is told by its inputs', async () => {
  expect((await create({ name: 'mouse', categoryId: 9 })).json).toEqual({
    code: 'BAD_USER_INPUT',
    message: 'categoryId has a value that is not allowed',
    status: 400,
  });
});
