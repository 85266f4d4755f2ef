import { expect, test } from 'vitest';
import { isWellFormed } from '../support/answer-form.ts';
import { startGateway } from '../support/gateway.ts';

const { graphql } = await startGateway();

test('a document may have 1000 tokens, and no more', async () => {
  const document = `query Names { ${'... { __typename } '.repeat(249)}}`;
  const allowed = await graphql(document);
  expect(allowed.json).toEqual({ data: { __typename: 'Query' } });
  const refused = await graphql(`${document} fragment`);
  expect(refused.json).toEqual({
    errors: [
      {
        message: 'The document has too many tokens; at most 1000 are allowed',
        locations: [{ line: 1, column: document.length + 2 }],
        extensions: { code: 'GRAPHQL_PARSE_FAILED', status: 400 },
      },
    ],
  });
});

test('what is no token does not count', async () => {
  const { text } = await graphql(`{ __typename ${',\n'.repeat(5000)} # ${'{ '.repeat(5000)}\n}`);
  expect(text).toBe('{"data":{"__typename":"Query"}}');
});

const nested = (open: string, middle: string, close: string) => (times: number) =>
  open.repeat(times) + middle + close.repeat(times);

// Each of them would exhaust the stack of whoever reads it to its end.
test.each<[string, number, (times: number) => string]>([
  ['fields', 3, nested('{ a', '{ a }', '}')],
  [
    'fields that are there',
    6,
    (times) => `{ __schema { types ${nested('{ fields { type', '{ name }', '} }')(times)} } }`,
  ],
  ['fragments', 3, nested('{ ...', '{ __typename }', '}')],
  ['fragments of an animal', 3, (times) => `{ pets ${nested('{ ...', '{ id }', '}')(times)} }`],
  ['lists', 2, (times) => `{ pets(limit: ${nested('[', '1', ']')(times)}) { id } }`],
  ['objects', 4, (times) => `{ pets(limit: ${nested('{ a: ', '1', '}')(times)}) { id } }`],
  [
    'types',
    2,
    (times) => `query($n: ${nested('[', 'Int', ']')(times)}) { pets(limit: $n) { id } }`,
  ],
])('%s may nest as deep as the tokens allow, but not deeper', async (_what, tokens, document) => {
  const times = Math.floor(980 / tokens);
  const deep = await graphql(document(times));
  expect([isWellFormed(deep), deep.text]).toEqual([true, expect.not.stringContaining('tokens')]);
  const deeper = await graphql(document(times * 5));
  expect(deeper.json).toHaveProperty('errors.0.extensions.code', 'GRAPHQL_PARSE_FAILED');
});
