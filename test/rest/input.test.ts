import { expect, test } from 'vitest';
import { NO_UTF8 } from '../../packages/http/src/message/query.ts';
import { restAnimal } from '../support/animals.ts';
import { createdPath } from '../support/links.ts';
import { errorBody } from '../support/error-body.ts';
import { startGateway } from '../support/gateway.ts';

const LIMIT = 'limit must be an integer between 1 and 100';
const CATEGORY_ID =
  'categoryId must be an integer between -9223372036854775808 and 9223372036854775807';
const STATUS = 'status must be one of available, pending, sold';

const { request, post } = await startGateway();

const refusal = (message: string) => [400, errorBody(400, 'BAD_USER_INPUT', message)];

const values = (name: string, message: string, spellings: string) =>
  ['', '9'.repeat(400), ...spellings.split(' ')].map((value) => [`${name}=${value}`, message]);

test.each([
  ...values(
    'limit',
    LIMIT,
    '0 101 -1 -0 1.5 5.0 1e1 05 0x5 %2B5 5%20 %205 5%0A 5,5 five null true %EF%BC%95 %00 %zz 4294967297 18446744073709551617',
  ),
  ...values(
    'status',
    STATUS,
    'lost Available SOLD sold%20 %00sold null 0 available,sold constructor __proto__ %zz',
  ),
  ['limit=0&status=lost', `${STATUS}; ${LIMIT}`],
  // A parameter may be given only once.
  ['limit', LIMIT],
  ['limit=5&limit=5', LIMIT],
  ['limit=5&limit=', LIMIT],
  ['limit=5&status=sold&limit=6', LIMIT],
  ['status', STATUS],
  ['status=sold&status=sold', STATUS],
  ['status=sold&status=pending', STATUS],
  ['status=&status=sold', STATUS],
  // A parameter is checked even after many others.
  [`${'a&'.repeat(1500)}status=lost`, STATUS],
])('a list request with ?%.60s returns 400', async (query = '', message = '') => {
  const { status, text } = await request(`/v1/pets?${query}`);
  expect([status, text]).toEqual(refusal(message));
});

test.each([
  '/v1/pets?limit=%FF',
  '/v1/pets?unknown=a%C3',
  '/graphql?query={pets{name}}&extensions=%C0%80',
])('%s returns 400 because it is not valid UTF-8', async (path) => {
  const { status, text } = await request(path);
  expect([status, text]).toEqual([400, expect.stringContaining(NO_UTF8)]);
  expect((await request(path, { headers: { Authorization: 'Bearer none' } })).status).toBe(401);
});

test('parameters may be percent-encoded', async () => {
  const { status } = await request('/v1/pets?%6cimit=%31%30&status=%73old');
  expect(status).toBe(200);
});

test.each(['"5"', '"-5"', '"9223372036854775807"'])(
  'categoryId %s returns 400 because it must be a JSON number',
  async (categoryId) => {
    const { status, text } = await post('/v1/pets', `{"name":"Rex","categoryId":${categoryId}}`);
    expect([status, text]).toEqual(refusal(`${CATEGORY_ID}, as a JSON number`));
  },
);

test('JSON escapes in a name are decoded', async () => {
  const added = await post('/v1/pets', '{"name":"\\ud83d\\ude00\\u0041\\/","categoryId":1}');
  expect(added.status).toBe(201);
  expect(added.json).toHaveProperty('name', '😀A/');
});

test('unknown members are ignored, whatever their names', async () => {
  const added = await post(
    '/v1/pets',
    `{"id":0,"colour":"red","limit":0,"input":{},"name":"Rex","categoryId":1,"toString":null,
      "__proto__":{"status":"sold"},"constructor":{"prototype":{"status":"sold"}},"Status":"lost"}`,
  );
  const id = createdPath(added).replace('/v1/pets/', '');
  expect([added.status, added.text]).toEqual([201, restAnimal({ id })]);
  expect(id).toMatch(/^[1-9]\d*$/);
});
