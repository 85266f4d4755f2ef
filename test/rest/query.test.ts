import { expect, test } from 'vitest';
import { NO_UTF8 } from '../../packages/http/src/message/query.ts';
import { errorBody } from '../support/error-body.ts';
import { startGateway } from '../support/gateway.ts';

const LIMIT = 'limit must be an integer between 1 and 100';
const STATUS = 'status must be one of available, pending, sold';

const { request } = await startGateway();

const refusal = (message: string) => [400, errorBody(400, 'BAD_USER_INPUT', message)];

test.each([
  '',
  '9'.repeat(400),
  ...'0 101 -1 -0 1.5 5.0 1e1 05 0x5 %2B5 5%20 %205 5%0A 5,5 five null true'.split(' '),
  ...'%EF%BC%95 %00 %zz 4294967297 18446744073709551617'.split(' '),
])('limit=%s is 400', async (limit) => {
  const { status, text } = await request(`/v1/pets?limit=${limit}`);
  expect([status, text]).toEqual(refusal(LIMIT));
});

test.each([
  '',
  '9'.repeat(400),
  ...'lost Available SOLD sold%20 %00sold null 0 available,sold'.split(' '),
  ...'constructor __proto__ %zz'.split(' '),
])('status=%s is 400', async (status) => {
  const answer = await request(`/v1/pets?status=${status}`);
  expect([answer.status, answer.text]).toEqual(refusal(STATUS));
});

test.each([
  ['limit=5&limit=5', LIMIT],
  ['limit=5&status=sold&limit=6', LIMIT],
  ['limit=5&limit=', LIMIT],
  ['limit', LIMIT],
  ['status=sold&status=sold', STATUS],
  ['status=sold&status=pending', STATUS],
  ['status=&status=sold', STATUS],
  ['status', STATUS],
  ['limit=0&status=lost', `${STATUS}; ${LIMIT}`],
])('?%s is 400: parameters are given once, with a value', async (query, message) => {
  const { status, text } = await request(`/v1/pets?${query}`);
  expect([status, text]).toEqual(refusal(message));
});

test.each([
  '/v1/pets?limit=%FF',
  '/v1/pets?unknown=a%C3',
  '/graphql?query={pets{name}}&extensions=%C0%80',
])('%s is 400: it is no UTF-8', async (path) => {
  const { status, text } = await request(path);
  expect([status, text]).toEqual([400, expect.stringContaining(NO_UTF8)]);
  expect((await request(path, { headers: { Authorization: 'Bearer none' } })).status).toBe(401);
});

test('parameters may be percent-encoded', async () => {
  const { status } = await request('/v1/pets?%6cimit=%31%30&status=%73old');
  expect(status).toBe(200);
});

test('a parameter behind a thousand others is heeded, too', async () => {
  const { status, text } = await request(`/v1/pets?${'a&'.repeat(1500)}status=lost`);
  expect([status, text]).toEqual(refusal(STATUS));
});
