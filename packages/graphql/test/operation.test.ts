import { buildSchema, parse, print, type ValidationRule } from 'graphql';
import { expect, test, vi } from 'vitest';
import { requestContext } from '@store-gateway/ops';
import { memoizePerOperation, type ValidOperation } from '../src/execution/operation.ts';
import { selectedFields } from '../src/marks/uses.ts';
import { createPlanner } from '../src/yoga-server.ts';

const schema = buildSchema('type Query { thing: Thing } type Thing { id: ID part: Thing }');
const document = parse(`
  query A { thing { ...F } }
  query B { thing { part { id } } }
  fragment F on Thing { id }
`);

test('memoizePerOperation computes a result once per operation, from only that operation and its fragments', () => {
  const compute = vi.fn<(operation: ValidOperation) => string>(({ document: alone }) =>
    print(alone),
  );
  const textOf = memoizePerOperation(compute);
  const textOfA = textOf({ schema, document, operationName: 'A' });
  expect(textOfA).toContain('fragment F');
  expect(textOfA).not.toContain('query B');
  expect(textOf({ schema, document, operationName: 'B' })).not.toContain('fragment F');
  expect(textOf({ schema, document, operationName: 'A' })).toBe(textOfA);
  expect(compute).toHaveBeenCalledTimes(2);
});

test('all unknown operation names share one memoized result, because clients can send any number of them', () => {
  const compute = vi.fn<() => object>(() => ({}));
  const resultOf = memoizePerOperation(compute);
  for (const operationName of ['C', 'D', undefined]) {
    resultOf({ schema, document, operationName });
  }
  expect(compute).toHaveBeenCalledTimes(1);
});

test('selectedFields returns the fields of one operation, including those in fragments', () => {
  const [ofA, ofB] = ['A', 'B'].map((operationName) =>
    selectedFields({ schema, document, operationName }).map(
      ({ mark: { parent, field } }) => `${parent.name}.${field.name}`,
    ),
  );
  expect(ofA).toEqual(['Query.thing', 'Thing.id']);
  expect(ofB).toEqual(['Query.thing', 'Thing.part', 'Thing.id']);
});

test('valid documents are parsed and validated once, rejected documents each time', async () => {
  const validated: string[] = [];
  const noteDocument: ValidationRule = (context) => {
    validated.push(context.getDocument().loc?.source.body ?? '');
    return {};
  };
  const planOf = createPlanner({ schema, validationRules: [noteDocument] });
  for (const query of ['{ thing { id } }', '{ y }', '{ thing { id } }', '{ y }']) {
    await requestContext.run({ id: 'test' }, () => planOf({ body: { query } }));
  }
  expect(validated).toEqual(['{ thing { id } }', '{ y }', '{ y }']);
});
