import {
  array,
  assert,
  asyncProperty,
  constantFrom,
  dictionary,
  json,
  oneof,
  string,
  stringMatching,
  tuple,
  uint8Array,
  webPath,
  webQueryParameters,
} from 'fast-check';
import { expect, test } from 'vitest';
import { isWellFormed } from '../support/answer-form.ts';
import { startGateway } from '../support/gateway.ts';
import { nodeRequest, type NodeRequest } from '../support/node-request.ts';
import { anyCharacter, propertyRuns } from '../support/property-runs.ts';

const RUNS = propertyRuns(80);

const gateway = await startGateway();

/** Sends a request. Returns a description of the response if it is malformed, or an empty string. */
async function faultOf(path: string, init: NodeRequest): Promise<string> {
  const answer = await nodeRequest(gateway, path, init);
  return isWellFormed(answer) ? '' : `${answer.status} ${answer.text}`;
}

const PATHS = ['/v1/pets', '/graphql'] as const;
const JSON_TYPE = { 'Content-Type': 'application/json' };
const post = (body: string | Uint8Array, headers = {}) => ({
  method: 'POST',
  headers: { ...JSON_TYPE, ...headers },
  body,
});

/** A JSON text, with numbers beyond the precision of doubles. */
const value = oneof(
  json(),
  stringMatching(/^-?(?:0|[1-9]\d{0,24})(?:\.\d{1,20})?(?:[eE][+-]?\d{1,4})?$/),
  constantFrom('"Rex"', '1', '"sold"', 'null', '"\\ud800"', '"\\u0000"', '{"__proto__":1}'),
);
/** An animal of which often all members but one are valid. */
const pet = tuple(
  oneof(constantFrom('"Rex"', '"Re\\u0000x"', '"\\udc00"'), value),
  oneof({ arbitrary: constantFrom('1'), weight: 2 }, value),
  oneof({ arbitrary: constantFrom('"sold"'), weight: 2 }, value),
).map(
  ([name, categoryId, status]) => `{"name":${name},"categoryId":${categoryId},"status":${status}}`,
);
const TOKENS = [
  ...'{ } ( ) [ ] : ! = ... @skip " """ # \\ $a query mutation subscription fragment on'.split(' '),
  ...'pets pet createPet id limit 1 -9223372036854775809 1e400 null sold __schema \0 🐈'.split(' '),
  '{ pets { id } }',
  'fragment F on Pet { ...F }',
  '...F',
];
const document = oneof(
  constantFrom(
    'query($a: PetStatus, $b: Int, $c: ID) { pets(status: $a, limit: $b, after: $c) { id name } }',
    'mutation($a: NewPet!) { createPet(input: $a) { id name categoryId status } }',
    'mutation($a: String!, $b: ID!) { createPet(input: { name: $a, categoryId: $b }) { id } }',
    'subscription($a: ID) { pets(after: $a) { id } }',
    'query($a: ID!, $b: Boolean!) { pet(id: $a) { id @skip(if: $b) status } }',
  ),
  array(constantFrom(...TOKENS), { maxLength: 20 }).map((tokens) => tokens.join(' ')),
  string({ unit: anyCharacter }),
);

test('a request with any JSON body gets a well-formed response', async () => {
  const bodies = oneof(
    value,
    pet,
    tuple(document, oneof(value, pet), value, value).map(
      ([query, a, b, c]) =>
        `{"query":${JSON.stringify(query)},"variables":{"a":${a},"b":${b},"c":${c}}}`,
    ),
    tuple(document, value, value, value).map(
      ([query, a, b, c]) =>
        `{"query":${JSON.stringify(query)},"variables":${a},"operationName":${b},"extensions":${c}}`,
    ),
  );
  await assert(
    asyncProperty(constantFrom(...PATHS), bodies, async (path, body) => {
      expect(await faultOf(path, post(body))).toBe('');
    }),
    propertyRuns(200),
  );
});

test('a request with any bytes as its body gets a well-formed response', async () => {
  const bytes = oneof(
    uint8Array({ maxLength: 2000, size: 'max' }),
    json().map((text) => Buffer.from(text)),
  );
  const headers = constantFrom<NodeRequest['headers'][]>(
    {},
    {},
    { 'Content-Encoding': 'gzip' },
    { 'Content-Encoding': 'deflate' },
    { 'Content-Encoding': 'br' },
    { 'Content-Type': 'application/json; charset=utf-16' },
    { 'Content-Type': 'multipart/form-data; boundary=x' },
  );
  await assert(
    asyncProperty(constantFrom(...PATHS), bytes, headers, async (path, body, more) => {
      expect(await faultOf(path, post(body, more))).toBe('');
    }),
    RUNS,
  );
});

/** A text that can be part of a request line. */
const target = stringMatching(/^[!-~]*$/);
const parameter = tuple(
  constantFrom('limit', 'status', 'query', 'variables', 'operationName', 'extensions', '__proto__'),
  oneof(target, document.map(encodeURIComponent), value.map(encodeURIComponent)),
).map((pair) => pair.join('='));

test('a request with any query string gets a well-formed response', async () => {
  const search = oneof(
    webQueryParameters(),
    target,
    array(parameter, { maxLength: 6 }).map((parameters) => parameters.join('&')),
  );
  await assert(
    asyncProperty(constantFrom(...PATHS, '/v1/pets/1'), search, async (path, query) => {
      expect(await faultOf(`${path}?${query}`, {})).toBe('');
    }),
    propertyRuns(150),
  );
});

test('a request with any path gets a well-formed response', async () => {
  const start = constantFrom('/', '/v1', '/v1/', '/v1/pets', '/v1/pets/', '/graphql', '/graphql/');
  const methods = constantFrom('GET', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH');
  await assert(
    asyncProperty(methods, start, oneof(webPath(), target), async (method, path, rest) => {
      expect(await faultOf(path + rest, { method })).toBe('');
    }),
    RUNS,
  );
});

test('a request with any headers gets a well-formed response', async () => {
  const names = constantFrom(
    ...'Accept Accept-Charset Accept-Encoding Authorization Cookie If-None-Match Range'.split(' '),
    ...'Content-Type Content-Encoding If-Modified-Since Origin X-Request-Id X-Forwarded-For'.split(
      ' ',
    ),
  );
  const values = oneof(
    constantFrom('*/*', 'application/json', 'gzip', 'utf-8', '*', 'Bearer ', 'a/b;q=0', 'bytes=0-'),
    stringMatching(/^[\t -~\u0080-\u00ff]*$/),
  );
  await assert(
    asyncProperty(
      constantFrom(...PATHS),
      constantFrom('GET', 'POST'),
      dictionary(names, values, { maxKeys: 5 }),
      async (path, method, headers) => {
        const body =
          method === 'POST' ? '{"query":"{ __typename }","name":"Rex","categoryId":1}' : '';
        expect(await faultOf(`${path}?query={__typename}`, { method, headers, body })).toBe('');
      },
    ),
    RUNS,
  );
});
