import { buildSchema } from 'graphql';
import { expect, onTestFinished, test } from 'vitest';
import { createRest } from '../src/rest.ts';
import { serveEndpoints } from '../../../test/support/serve-endpoints.ts';
import { createEndpoints } from '../src/endpoints.ts';

const SCHEMA = buildSchema(`
  type Book { id: ID! }
  input NewBook { isLent: Boolean }
  type Query { book: Book }
  type Mutation { add(input: NewBook!): Book }
`);

test('a schema without options, and a caller that is all that `admit` gives, are enough', async () => {
  const rest = createRest({
    schema: SCHEMA,
    basePath: '/v1',
    info: { title: 'Library', version: '1.0.0' },
    routes: [
      {
        method: 'post',
        path: '/books',
        summary: 'Add a book',
        document: 'mutation addBook($input: NewBook!) { add(input: $input) { id } }',
        status: 201,
      },
    ],
  });
  const asked: unknown[] = [];
  const endpoints = createEndpoints(rest, {
    admit: () => ({ caller: 'ann' }),
    execute: ({ variableValues }, { caller, waited }) => {
      asked.push([variableValues, caller, waited]);
      return Promise.resolve({ data: { add: { id: '7' } } });
    },
  });
  const { url: base, close } = await serveEndpoints(endpoints);
  onTestFinished(close);
  const url = `${base}/v1`;
  const add = (headers: object) =>
    fetch(`${url}/books`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: '{"isLent":true}',
    });
  const created = await add({});
  expect([created.status, await created.text()]).toEqual([201, '{"id":7}']);
  expect(asked).toEqual([[{ input: { isLent: true } }, 'ann', 0]]);

  const keyed = await add({ 'Idempotency-Key': 'once' });
  expect([keyed.status, await keyed.json()]).toEqual([
    400,
    {
      code: 'BAD_USER_INPUT',
      message: 'This mutation does not accept an Idempotency-Key',
      status: 400,
    },
  ]);
  expect(asked).toHaveLength(1);

  const contract = await fetch(`${url}/openapi.json`);
  expect(await contract.json()).toMatchObject({
    tags: [{ name: 'Book' }],
    paths: { '/books': { post: { operationId: 'addBook', tags: ['Book'] } } },
  });
});

test('a schema that declares scopes is not served without what callers have', () => {
  const schema = buildSchema('type Book { id: ID! } type Query { book: Book }');
  Object.assign(schema.getQueryType()?.getFields()['book'] ?? {}, {
    extensions: { scopes: ['loans'] },
  });
  const rest = createRest({ schema, basePath: '/v1', info: {}, routes: [] });
  const options = { admit: () => ({ caller: 'ann' }), execute: () => Promise.resolve({}) };
  expect(() => createEndpoints(rest, options)).toThrow(
    new Error('Query.book needs a scope: pass scopesOf to createEndpoints'),
  );
  expect(createEndpoints(rest, { ...options, scopesOf: () => new Set<string>() })).toBeDefined();
});
