import { expect, test } from 'vitest';
import type { Call } from '../../bench/load/calls.ts';
import { outcomeOf, type Received } from '../../soak/outcome.ts';
import { errorBody, graphqlErrorBody } from '../support/error-body.ts';

const LIST: Call = { does: 'list', status: 'available', limit: 2 };
const GET: Call = { does: 'get', id: 7 };
const CREATE: Call = { does: 'create', name: 'Rex', categoryId: 1, status: 'sold' };

const pet = (id: number, { name = 'Rex', status = 'available' } = {}) => ({
  id,
  name,
  categoryId: 1,
  status,
});
const PAGE = [pet(7), pet(8)];
const SOLD = pet(9, { status: 'sold' });
const UNAVAILABLE = errorBody(503, 'SERVICE_UNAVAILABLE', 'Away.');
const GRAPHQL_UNAVAILABLE = graphqlErrorBody(503, 'SERVICE_UNAVAILABLE', 'Away.');

const answer = (status: number, body: unknown, retryAfter?: string): Received => ({
  status,
  retryAfter,
  body: typeof body === 'string' ? body : JSON.stringify(body),
});

test.each([
  ['rest', 'a page', LIST, answer(200, PAGE)],
  ['rest', 'the animal', GET, answer(200, pet(7))],
  ['rest', 'the new animal', CREATE, answer(201, SOLD)],
  ['graphql', 'a page', LIST, answer(200, { data: { pets: PAGE } })],
  ['graphql', 'the animal', GET, answer(200, { data: { pet: pet(7) } })],
  ['graphql', 'the new animal', CREATE, answer(200, { data: { createPet: SOLD } })],
] as const)('%s: %s counts as good', (surface, _what, call, received) => {
  expect(outcomeOf({ surface, call }, received, 2000)).toBe('good');
});

test.each([
  ['rest', LIST, answer(503, UNAVAILABLE, '1')],
  ['graphql', LIST, answer(503, GRAPHQL_UNAVAILABLE, '1')],
] as const)("%s: the contract's 503 counts as unavailable", (surface, call, received) => {
  expect(outcomeOf({ surface, call }, received, 2000)).toBe('unavailable');
});

test.each([
  ['rest', 'an empty list', LIST, answer(200, [])],
  ['rest', 'a short page', LIST, answer(200, [pet(7)])],
  ['rest', 'a page that includes a different status', LIST, answer(200, [pet(7), SOLD])],
  ['rest', 'a different animal', GET, answer(200, pet(8))],
  ['rest', 'a 404 for an existing animal', GET, answer(404, errorBody(404, 'NOT_FOUND', 'None.'))],
  ['rest', 'an animal other than the one sent', CREATE, answer(201, pet(9, { name: 'Bo' }))],
  ['rest', 'a truncated body', GET, answer(200, '{"id":7,')],
  ['rest', 'a 503 without Retry-After', LIST, answer(503, UNAVAILABLE)],
  [
    'rest',
    'a 503 with a different code',
    LIST,
    answer(503, errorBody(503, 'OVERLOADED', 'Busy.'), '1'),
  ],
  ['rest', 'a GraphQL 503', LIST, answer(503, GRAPHQL_UNAVAILABLE, '1')],
  ['graphql', 'null in place of the animal', GET, answer(200, { data: { pet: null } })],
  ['graphql', 'errors without data', GET, answer(200, GRAPHQL_UNAVAILABLE)],
  ['graphql', 'errors next to data', GET, answer(200, { data: { pet: pet(7) }, errors: [{}] })],
  ['graphql', 'a 503 without errors', GET, answer(503, { errors: [] }, '1')],
  ['graphql', 'a REST 503', GET, answer(503, UNAVAILABLE, '1')],
] as const)('%s: %s counts as wrong', (surface, _what, call, received) => {
  expect(outcomeOf({ surface, call }, received, 1)).toBe('wrong');
});

test.each([answer(200, PAGE), answer(503, UNAVAILABLE, '1')])(
  'a response that takes more than 2 s counts as wrong: $status',
  (received) => {
    expect(outcomeOf({ surface: 'rest', call: LIST }, received, 2001)).toBe('wrong');
  },
);
