import { expect, test } from 'vitest';
import { graphqlErrorBody } from '../support/error-body.ts';
import { startGateway } from '../support/gateway.ts';

const JSON_TYPE = 'application/json; charset=utf-8';
const RESPONSE_TYPE = 'application/graphql-response+json; charset=utf-8';

const { request } = await startGateway();

const inOneLine = (message: string, column: number, code: string) =>
  JSON.stringify({
    errors: [{ message, locations: [{ line: 1, column }], extensions: { code, status: 400 } }],
  });
const invalid = (message: string, column: number) =>
  inOneLine(message, column, 'GRAPHQL_VALIDATION_FAILED');
const unparsable = (message: string, column: number) =>
  inOneLine(`Syntax Error: ${message}`, column, 'GRAPHQL_PARSE_FAILED');
const badInput = (message: string) => graphqlErrorBody(400, 'BAD_USER_INPUT', message);
const unresolved = graphqlErrorBody(
  400,
  'OPERATION_RESOLUTION_FAILURE',
  'Could not determine what operation to execute.',
);
const limitOfNone = inOneLine('limit must be an integer between 1 and 100', 7, 'BAD_USER_INPUT');
const noQuery = badInput('query must be a string with a GraphQL document');
const noVariables = badInput('variables must be a JSON object');
const noExtensions = badInput('extensions must be a JSON object');

const get = (parameters: Record<string, string>, accept: string) =>
  request(`/graphql?${String(new URLSearchParams(parameters))}`, { headers: { Accept: accept } });
const post = (body: object, accept: string) =>
  request('/graphql', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: accept },
    body: JSON.stringify(body),
  });

// GraphQL over HTTP has a request that is well-formed, but can't be executed, answered with 200 to those
// who ask for application/json.
const wellFormed = [
  ['that ends too soon', { query: '{' }, unparsable('Expected Name, found <EOF>.', 2)],
  ['that is empty', { query: '' }, unparsable('Unexpected <EOF>.', 1)],
  [
    'with an unknown field',
    { query: '{ nope }' },
    invalid('Cannot query field "nope" on type "Query".', 3),
  ],
  [
    'with a subscription',
    { query: 'subscription { pets { id } }' },
    invalid('The schema has no subscription operations.', 1),
  ],
  [
    'with a literal of a wrong type',
    { query: '{ pets(status: lost) { id } }' },
    invalid('Value "lost" does not exist in "PetStatus" enum.', 16),
  ],
  [
    'without a variable that it needs',
    { query: 'query($n: Int!) { pets(limit: $n) { id } }' },
    limitOfNone,
  ],
] as const;

test.each(wellFormed)('a document %s has the status 400', async (_what, parameters, body) => {
  for (const send of [get, post]) {
    const strict = await send(parameters, 'application/graphql-response+json');
    const lenient = await send(parameters, 'application/json');
    const type = strict.headers.get('Content-Type');
    expect([strict.status, type, strict.text]).toEqual([400, RESPONSE_TYPE, body]);
    const lenientType = lenient.headers.get('Content-Type');
    expect([lenient.status, lenientType, lenient.text]).toEqual([200, JSON_TYPE, body]);
  }
});

const QUERY = '{ __typename }';
const TWO = 'query A { __typename } query B { __typename }';

test.each([
  ['without operationName, of two operations', { query: TWO }, unresolved],
  ['with an unknown operationName', { query: TWO, operationName: 'C' }, unresolved],
  ['with a name for a nameless operation', { query: QUERY, operationName: 'A' }, unresolved],
  ['with an operationName as of objects', { query: TWO, operationName: '__proto__' }, unresolved],
  ['of fragments alone', { query: 'fragment F on Pet { id }' }, unresolved],
  ['without query', { operationName: 'A' }, noQuery],
])('a request %s is 400 for every media type', async (_what, parameters, body) => {
  for (const send of [get, post]) {
    for (const type of [JSON_TYPE, RESPONSE_TYPE]) {
      const { status, headers, text } = await send({ ...parameters }, type);
      expect([status, headers.get('Content-Type'), text]).toEqual([400, type, body]);
    }
  }
});

test.each([
  ['variables', '{', noVariables],
  ['variables', '{}}', noVariables],
  ['variables', 'x', noVariables],
  ['variables', '[]', noVariables],
  ['variables', '"{}"', noVariables],
  ['variables', '5', noVariables],
  ['variables', '['.repeat(2000), noVariables],
  ['extensions', '{', noExtensions],
  ['extensions', '[]', noExtensions],
])('?%s=%s is 400', async (name, value, body) => {
  const { status, text } = await get({ query: QUERY, [name]: value }, '*/*');
  expect([status, text]).toEqual([400, body]);
});

test.each(['', 'null', '{}', ' {} '])('?variables=%s is none', async (variables) => {
  const { status, text } = await get({ query: QUERY, variables, operationName: '' }, '*/*');
  expect([status, text]).toEqual([200, '{"data":{"__typename":"Query"}}']);
});

test('a name of a type is no data: where all else has failed the answer is that of the failure', async () => {
  const broken = await startGateway();
  await broken.database.$executeRaw`DROP TABLE pets`;
  const { status } = await broken.post('/graphql', { query: '{ __typename pet(id: 1) { id } }' });
  expect(status).toBe(500);
});
