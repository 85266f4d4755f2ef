import { expect, test } from 'vitest';
import { startGateway } from '../support/gateway.ts';

const { database, graphql, request } = await startGateway();
const pet = { name: 'Rex', categoryId: 1 };

const post = (key?: string) =>
  request('/v1/pets', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...(key && { 'Idempotency-Key': key }) },
    body: JSON.stringify(pet),
  });

const createPet = () =>
  graphql('mutation($pet: NewPet!) { createPet(input: $pet) { id } }', { pet });

test('a create without the value of a required column is BAD_USER_INPUT in both APIs, with and without a key', async () => {
  await database.$executeRaw`ALTER TABLE pets ADD COLUMN kind text NOT NULL`;
  const refusal = {
    code: 'BAD_USER_INPUT',
    message: 'A required value is missing',
    status: 400,
  };
  for (const { json, status } of [await post(), await post('once'), await post('once')]) {
    expect([status, json]).toEqual([400, refusal]);
  }
  const { message, ...extensions } = refusal;
  expect((await createPet()).json).toMatchObject({ errors: [{ message, extensions }] });

  await database.$executeRaw`ALTER TABLE pets ALTER COLUMN kind SET DEFAULT 'dog'`;
  expect([(await post()).status, (await post('once')).status]).toEqual([201, 201]);
  expect((await createPet()).status).toBe(200);
});
