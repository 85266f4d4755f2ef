import { expect, test } from 'vitest';
import { restAnimal } from '../support/animals.ts';
import { errorBody } from '../support/error-body.ts';
import { startGateway } from '../support/gateway.ts';
import { createdPath } from '../support/created-path.ts';

const STATUSES = ['available', 'pending', 'sold'] as const;
const NAME = 'name must be a string of 1 to 255 characters, without NUL or unpaired surrogates';
const CATEGORY_ID =
  'categoryId must be an integer between -9223372036854775808 and 9223372036854775807';

const { url, request, post, database } = await startGateway();
// Ids that a double can't hold.
await database.$executeRaw`ALTER SEQUENCE pets_id_seq RESTART WITH 9007199254740993`;

// A store of which each animal is known, more of them than any list may have.
const store = await startGateway();
const listOfNone = await store.request('/v1/pets');
const animals: { readonly status: string; readonly text: string }[] = [];
// Nothing but the ids ascends.
for (let categoryId = 35; categoryId > 0; categoryId -= 1) {
  for (const status of STATUSES) {
    const { text } = await store.post('/v1/pets', { name: 'Rex', categoryId, status });
    animals.push({ status, text });
  }
}

const listOf = (some: typeof animals) => `[${some.map(({ text }) => text).join(',')}]`;

test('listPets 200: an empty store is an empty array', () => {
  expect([listOfNone.status, listOfNone.text]).toEqual([200, '[]']);
});

test.each([
  { limit: '', count: 20 },
  { limit: '?limit=1', count: 1 },
  { limit: '?limit=19', count: 19 },
  { limit: '?limit=21', count: 21 },
  { limit: '?limit=100', count: 100 },
])('listPets 200: /pets$limit is the first $count animals by id', async ({ limit, count }) => {
  const { status, text } = await store.request(`/v1/pets${limit}`);
  expect([status, text]).toEqual([200, listOf(animals.slice(0, count))]);
});

test.each(STATUSES)('listPets 200: status=%s is the animals of that status', async (status) => {
  const matching = animals.filter((animal) => animal.status === status);
  const all = await store.request(`/v1/pets?status=${status}&limit=100`);
  expect([all.status, all.text]).toEqual([200, listOf(matching)]);
  const some = await store.request(`/v1/pets?limit=7&status=${status}`);
  expect([some.status, some.text]).toEqual([200, listOf(matching.slice(0, 7))]);
  const first = await store.request(`/v1/pets?status=${status}`);
  expect([first.status, first.text]).toEqual([200, listOf(matching.slice(0, 20))]);
});

test.each(['0', '101'])('limit=%s is outside of 1 to 100', async (limit) => {
  const { status, text } = await store.request(`/v1/pets?limit=${limit}`);
  const message = 'limit must be an integer between 1 and 100';
  expect([status, text]).toEqual([400, errorBody(400, 'BAD_USER_INPUT', message)]);
});

test.each(STATUSES)('createPet 201: an animal that is %s, with its assigned id', async (status) => {
  const added = await post('/v1/pets', { name: 'Ada', categoryId: 7, status });
  const id = createdPath(added).replace('/v1/pets/', '');
  expect(id).toMatch(/^9007199254\d{6}$/);
  expect([added.status, added.text]).toEqual([
    201,
    restAnimal({ id, name: 'Ada', categoryId: 7, status }),
  ]);
});

test('createPet 201: status is optional, and then available', async () => {
  const added = await post('/v1/pets', '{"categoryId":-9223372036854775808,"name":"Ada"}');
  const id = createdPath(added).replace('/v1/pets/', '');
  expect([added.status, added.text]).toEqual([
    201,
    restAnimal({ id, name: 'Ada', categoryId: '-9223372036854775808' }),
  ]);
});

test('createPet 201: every animal has an id of its own', async () => {
  const first = await post('/v1/pets', { name: 'Twin', categoryId: 1 });
  const second = await post('/v1/pets', { name: 'Twin', categoryId: 1 });
  expect([first.status, second.status]).toEqual([201, 201]);
  expect(first.text).not.toBe(second.text);
});

test.each([
  ['name', '{"categoryId":7,"status":"sold"}', NAME],
  ['categoryId', '{"name":"Ada","status":"sold"}', CATEGORY_ID],
  ['name and categoryId', '{"status":"sold"}', `${NAME}; ${CATEGORY_ID}`],
  ['all members', '{}', `${NAME}; ${CATEGORY_ID}`],
  ['a valid name', '{"name":7,"categoryId":7}', NAME],
  ['a valid categoryId', '{"name":"Ada","categoryId":"7"}', `${CATEGORY_ID}, as a JSON number`],
  [
    'a valid status',
    '{"name":"Ada","categoryId":7,"status":"lost"}',
    'status must be one of available, pending, sold',
  ],
])('createPet 400: a body without %s', async (_what, body, message) => {
  const { status, text } = await post('/v1/pets', body);
  expect([status, text]).toEqual([400, errorBody(400, 'BAD_USER_INPUT', message)]);
});

test('getPet 200: an animal is told as it was when it was added', async () => {
  const added = await post('/v1/pets', '{"name":"Eve","categoryId":9223372036854775807}');
  const fetched = await request(createdPath(added));
  expect([fetched.status, fetched.text]).toEqual([200, added.text]);
});

test('getPet 404: there is no such animal', async () => {
  const { status, text } = await request('/v1/pets/9223372036854775807');
  const message = 'There is no animal with this id';
  expect([status, text]).toEqual([404, errorBody(404, 'NOT_FOUND', message)]);
});

test.each([
  ['listPets', 'GET', '/v1/pets'],
  ['createPet', 'POST', '/v1/pets'],
  ['getPet', 'GET', '/v1/pets/1'],
])('%s 401: a missing or an invalid key', async (_name, method, path) => {
  const missing = await fetch(url + path, { method });
  expect([missing.status, await missing.text()]).toEqual([
    401,
    errorBody(401, 'UNAUTHENTICATED', 'An API key is required: Authorization: Bearer <API_KEY>'),
  ]);
  const invalid = await request(path, { method, headers: { Authorization: 'Bearer Ada' } });
  expect([invalid.status, invalid.text]).toEqual([
    401,
    errorBody(401, 'UNAUTHENTICATED', 'The API key is not valid'),
  ]);
});
