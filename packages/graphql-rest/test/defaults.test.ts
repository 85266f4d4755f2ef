import { once } from 'node:events';
import { createServer } from 'node:http';
import express from 'express';
import { buildSchema } from 'graphql';
import { expect, onTestFinished, test } from 'vitest';
import { createRest } from '../src/rest.ts';
import { createRouter } from '../src/router.ts';

test('a schema without options, and a caller that is all that `admit` gives, are enough', async () => {
  const rest = createRest({
    schema: buildSchema(`
      type Book { id: ID! }
      input NewBook { isLent: Boolean }
      type Query { book: Book }
      type Mutation { add(input: NewBook!): Book }
    `),
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
  const { router } = createRouter(rest, {
    admit: () => ({ caller: 'ann' }),
    execute: ({ variableValues }, { caller, waited }) => {
      asked.push([variableValues, caller, waited]);
      return Promise.resolve({ data: { add: { id: '7' } } });
    },
  });
  const server = createServer(express().use('/v1', router)).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.close();
  });
  await once(server, 'listening');
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/v1`;
  const created = await fetch(`${url}/books`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '{"isLent":true}',
  });
  expect([created.status, await created.text()]).toEqual([201, '{"id":7}']);
  expect(asked).toEqual([[{ input: { isLent: true } }, 'ann', 0]]);

  const contract = await fetch(`${url}/openapi.json`);
  expect(await contract.json()).toMatchObject({
    tags: [{ name: 'Book' }],
    paths: { '/books': { post: { operationId: 'addBook', tags: ['Book'] } } },
  });
});
