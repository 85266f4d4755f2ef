import { execute, type ValidationRule } from 'graphql';
import { expect, test, vi } from 'vitest';
import { log, requestContext, type RequestContext } from '@store-gateway/ops';
import { maskError, httpResponse } from '../src/http-response.ts';
import { createPlanner } from '../src/yoga-server.ts';
import { NoIntrospectionRule } from '../src/bounds/document.ts';
import { schema } from './things.ts';

const thing = schema.getQueryType()?.getFields()['thing'];
if (thing === undefined) {
  throw new Error('the schema has it');
}
const deprecation = {
  of: 'thing',
  name: 'This',
  since: '2026-01-01',
  removal: '2027-01-01',
  replacement: { inWords: 'things', fields: ['things'], arguments: [{ limit: '1' }] },
} as const;
thing.extensions = { deprecation };

/** The documents that have been validated. */
const validated: string[] = [];
const noteDocument: ValidationRule = (context) => {
  validated.push(context.getDocument().loc?.source.body ?? '');
  return {};
};

const planOf = createPlanner({
  schema,
  validationRules: [noteDocument, NoIntrospectionRule],
});

/** The response to an operation, with what is known of its request afterwards. */
async function send(query: string, mediaType = 'application/graphql-response+json') {
  const underWay: RequestContext = { id: 'test' };
  const plan = await requestContext.run(underWay, () => planOf({ body: { query } }));
  const result = 'errors' in plan ? plan : await execute({ schema, ...plan.operation });
  const response = httpResponse(result, mediaType);
  return { ...response, deprecation: plan.deprecation, operation: underWay.operation };
}

test('an operation is named after its root field, and announces its deprecated fields', async () => {
  const plain = await send('query Mine { things { id } }');
  expect([plain.status, plain.operation, plain.deprecation]).toEqual([200, 'things', undefined]);
  const deprecated = await send('{ things { id } ...F } fragment F on Query { thing { id } }');
  expect([deprecated.operation, deprecated.deprecation]).toEqual([
    'several',
    { deprecation, successor: '{ things(limit: 1) { id name } }' },
  ]);
});

test.each([
  ['{ things(limit: 5000) { id } }', 'The operation has a complexity of 5010; at most 5000'],
  ['{ x }', 'Cannot query field "x" on type "Query".'],
  ['{ __schema { description } }', 'Introspection is disabled: __schema cannot be queried'],
  ['subscription { x }', 'The schema has no subscription operations.'],
])('%s is rejected: %s', async (query, message) => {
  const { status, body } = await send(query);
  expect(status).toBe(422);
  expect(body).toContain(JSON.stringify(message).slice(1, -1));
  expect(await send(query, 'application/json')).toMatchObject({
    status: 200,
    body: body.replaceAll('"status":422', '"status":400'),
  });
});

test('valid documents are parsed and validated once, rejected ones each time', async () => {
  validated.length = 0;
  for (const query of ['{ things { name } }', '{ y }', '{ things { name } }', '{ y }']) {
    await send(query);
  }
  expect(validated).toEqual(['{ things { name } }', '{ y }', '{ y }']);
});

test('unexpected errors are masked, and the status says so where there is no data', () => {
  const logged = vi.spyOn(log, 'error').mockReturnValueOnce();
  const error = maskError(new Error('secret'));
  expect(logged).toHaveBeenCalledTimes(1);
  const response = httpResponse({ data: { thing: null }, errors: [error] }, 'application/json');
  expect(response.status).toBe(500);
  expect(response.body).not.toContain('secret');
  const partial = { data: { thing: null, things: [] }, errors: [error] };
  expect(httpResponse(partial, 'application/json')).toMatchObject({ status: 200 });
  const none = { data: null, errors: [error] };
  expect(httpResponse(none, 'application/graphql-response+json')).toMatchObject({ status: 294 });
});
