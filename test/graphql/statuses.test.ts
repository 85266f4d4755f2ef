import { expect, test } from 'vitest';
import { graphqlErrorBody } from '../support/error-body.ts';
import { startGateway } from '../support/gateway.ts';
import { faultsIn } from '../support/input-faults.ts';

const JSON_TYPE = 'application/json; charset=utf-8';
const RESPONSE_TYPE = 'application/graphql-response+json; charset=utf-8';

const { request } = await startGateway();

const get = (parameters: Record<string, string>, accept: string) =>
  request(`/graphql?${String(new URLSearchParams(parameters))}`, { headers: { Accept: accept } });
const post = (body: object, accept: string) =>
  request('/graphql', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: accept },
    body: JSON.stringify(body),
  });

const located = (message: string, column: number, code: string, more: object = {}) => ({
  message,
  locations: [{ line: 1, column }],
  extensions: { code, ...more },
});
const invalid = (message: string, column: number) =>
  located(message, column, 'GRAPHQL_VALIDATION_FAILED');
const unparsable = (message: string, column: number) =>
  located(`Syntax Error: ${message}`, column, 'GRAPHQL_PARSE_FAILED');
const LIMIT = 'limit must be an integer between 1 and 100';

// GraphQL over HTTP of before had a request that is well-formed, but can't be executed, answered with 200 to those who ask for
// application/json. By application/graphql-response+json its errors repeat the status.
test.each([
  ['that ends too soon', 400, { query: '{' }, unparsable('Expected Name, found <EOF>.', 2)],
  ['that is empty', 400, { query: '' }, unparsable('Unexpected <EOF>.', 1)],
  [
    'with an unknown field',
    422,
    { query: '{ nope }' },
    invalid('Cannot query field "nope" on type "Query".', 3),
  ],
  [
    'with a subscription',
    422,
    { query: 'subscription { pets { id } }' },
    invalid('The schema has no subscription operations.', 1),
  ],
  [
    'with a literal of a wrong type',
    422,
    { query: '{ pets(status: lost) { id } }' },
    invalid('Value "lost" does not exist in "PetStatus" enum.', 16),
  ],
  [
    'without a variable that it needs',
    422,
    { query: 'query($n: Int!) { pets(limit: $n) { id } }' },
    located(LIMIT, 7, 'BAD_USER_INPUT', { faults: faultsIn(LIMIT) }),
  ],
])('a document %s has the status %i', async (_what, status, parameters, error) => {
  for (const send of [get, post]) {
    for (const [type, its, told] of [
      [RESPONSE_TYPE, status, status],
      [JSON_TYPE, 200, 400],
    ] as const) {
      const answer = await send(parameters, type);
      expect([answer.status, answer.headers.get('Content-Type'), answer.json]).toEqual([
        its,
        type,
        { errors: [{ ...error, extensions: { ...error.extensions, status: told } }] },
      ]);
    }
  }
});

const QUERY = '{ __typename }';
const TWO = 'query A { __typename } query B { __typename }';
const UNRESOLVED = [
  'OPERATION_RESOLUTION_FAILURE',
  'Could not determine what operation to execute.',
] as const;

test.each([
  ['without operationName, of two operations', { query: TWO }, UNRESOLVED],
  ['with an unknown operationName', { query: TWO, operationName: 'C' }, UNRESOLVED],
  ['with a name for a nameless operation', { query: QUERY, operationName: 'A' }, UNRESOLVED],
  ['with an operationName as of objects', { query: TWO, operationName: '__proto__' }, UNRESOLVED],
  ['of fragments alone', { query: 'fragment F on Pet { id }' }, UNRESOLVED],
  [
    'without query',
    { operationName: 'A' },
    ['BAD_USER_INPUT', 'query must be a string with a GraphQL document'],
  ],
] as const)('a request %s is 422, or 400 in application/json', async (_what, parameters, error) => {
  for (const send of [get, post]) {
    for (const [type, its] of [
      [RESPONSE_TYPE, 422],
      [JSON_TYPE, 400],
    ] as const) {
      const { status, headers, text } = await send({ ...parameters }, type);
      const body = graphqlErrorBody(its, error[0], error[1]);
      expect([status, headers.get('Content-Type'), text]).toEqual([its, type, body]);
    }
  }
});

test.each([
  ['variables', '{'],
  ['variables', '{}}'],
  ['variables', 'x'],
  ['variables', '[]'],
  ['variables', '"{}"'],
  ['variables', '5'],
  ['variables', '['.repeat(2000)],
  ['extensions', '{'],
  ['extensions', '[]'],
])('?%s=%s is 422, or 400 in application/json', async (name, value) => {
  for (const [type, its] of [
    [RESPONSE_TYPE, 422],
    ['*/*', 400],
  ] as const) {
    const { status, text } = await get({ query: QUERY, [name]: value }, type);
    const body = graphqlErrorBody(its, 'BAD_USER_INPUT', `${name} must be a JSON object`);
    expect([status, text]).toEqual([its, body]);
  }
});

test.each(['', 'null', '{}', ' {} '])('?variables=%s is none', async (variables) => {
  const { status, text } = await get({ query: QUERY, variables, operationName: '' }, '*/*');
  expect([status, text]).toEqual([200, '{"data":{"__typename":"Query"}}']);
});

test.each([
  ['no JSON', '{"query":', 400, 'The body is not valid JSON at line 1, column 10'],
  ['a batch', '[{"query":"{ __typename }"}]', 422, 'The body must be a JSON object'],
  ['null', 'null', 422, 'The body must be a JSON object'],
  ['empty', '', 422, 'query must be a string with a GraphQL document'],
  [
    'an array of variables',
    '{"query":"{a}","variables":[7]}',
    422,
    'variables must be a JSON object',
  ],
])('a body that is %s is %i', async (_what, body, its, message) => {
  const { status, text } = await request('/graphql', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: RESPONSE_TYPE },
    body,
  });
  expect([status, text]).toEqual([its, graphqlErrorBody(its, 'BAD_USER_INPUT', message)]);
});
