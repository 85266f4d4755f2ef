import { expect, test } from 'vitest';
import { restAnimal } from '../support/animals.ts';
import { errorBody } from '../support/error-body.ts';
import { startGateway } from '../support/gateway.ts';
import { createdPath } from '../support/links.ts';

const STATUSES = ['available', 'pending', 'sold'] as const;
const { request, post, database } = await startGateway();
// Ids that a double can't hold.
await database.$executeRaw`ALTER SEQUENCE pets_id_seq RESTART WITH 9007199254740993`;

test.each(STATUSES)('createPet 201: an animal that is %s, with its new id', async (status) => {
  const added = await post('/v1/pets', { name: 'Ada', categoryId: 7, status });
  const id = createdPath(added).replace('/v1/pets/', '');
  expect(id).toMatch(/^9007199254\d{6}$/);
  expect([added.status, added.text]).toEqual([
    201,
    restAnimal({ id, name: 'Ada', categoryId: 7, status }),
  ]);
});

test('createPet 201: an animal without a status is available', async () => {
  const added = await post('/v1/pets', '{"categoryId":-9223372036854775808,"name":"Ada"}');
  const id = createdPath(added).replace('/v1/pets/', '');
  expect([added.status, added.text]).toEqual([
    201,
    restAnimal({ id, name: 'Ada', categoryId: '-9223372036854775808' }),
  ]);
});

test('createPet 201: each animal has a new id', async () => {
  const first = await post('/v1/pets', { name: 'Twin', categoryId: 1 });
  const second = await post('/v1/pets', { name: 'Twin', categoryId: 1 });
  expect([first.status, second.status]).toEqual([201, 201]);
  expect(first.text).not.toBe(second.text);
});

test('getPet 200: an animal is returned as it was created', async () => {
  const added = await post('/v1/pets', '{"name":"Eve","categoryId":9223372036854775807}');
  const fetched = await request(createdPath(added));
  expect([fetched.status, fetched.text]).toEqual([200, added.text]);
});

test('getPet 404: no animal has the id', async () => {
  const { status, text } = await request('/v1/pets/9223372036854775807');
  const message = 'There is no animal with this id';
  expect([status, text]).toEqual([404, errorBody(404, 'NOT_FOUND', message)]);
});
