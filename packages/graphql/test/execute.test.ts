import { buildSchema, isScalarType, parse } from 'graphql';
import { expect, test, vi } from 'vitest';
import { codedError } from '@store-gateway/ops/errors';
import { createExecute } from '../src/execution/execute.ts';

const schema = buildSchema(`
  scalar Any
  type Query { shared(id: Any): Any own: Int fails: Int byId(id: ID!): Int }
  type Mutation { add: Int }
`);
const { shared, own, fails } = schema.getQueryType()?.getFields() ?? {};
const add = schema.getMutationType()?.getFields()['add'];
if (!shared || !own || !fails || !add) {
  throw new Error('the schema has these fields');
}
shared.extensions = { shared: true };
let calls = 0;
const count = async () => {
  calls += 1;
  return calls;
};
shared.resolve = async (_root, { id }: { readonly id: unknown }) => {
  await count();
  return id;
};
own.resolve = count;
add.resolve = count;
fails.resolve = () => {
  throw codedError('NOT_FOUND', 'There is none');
};

const execute = createExecute(schema, { services: {} });
const request = { caller: 'someone', idempotencyKey: undefined };

/** Executes an operation several times at once; counts how often its resolver is called. */
async function callsOf(query: string, variables: readonly Record<string, unknown>[]) {
  const document = parse(query);
  calls = 0;
  const results = await Promise.all(
    variables.map((variableValues) => execute({ document, variableValues }, request)),
  );
  return { calls, results };
}

const TEN = Array.from({ length: 10 }, () => ({}));

test.each([
  // The first one starts at once, the others join the next one.
  ['a query whose root fields are the same for everyone', '{ shared(id: 1) }', 2],
  ['a query of another field', '{ own }', 10],
  ['a query with another field', '{ own ...F } fragment F on Query { shared(id: 1) }', 20],
  ['a mutation', 'mutation { add }', 10],
])('%s, asked for ten times at once: %s', async (_what, query, expected) => {
  expect((await callsOf(query, TEN)).calls).toBe(expected);
});

test('an execution is told once, by the request that led it, whoever shares its result', async () => {
  const led: string[] = [];
  const told = createExecute<string>(schema, {
    services: {},
    onExecuted: (_operation, { caller }) => led.push(caller),
  });
  const document = parse('{ shared(id: 1) }');
  const sent = ['a', 'b', 'c', 'd'].map((caller) => told({ document }, { ...request, caller }));
  await Promise.all(sent);
  // The first starts at once, and the others join the next execution.
  expect(led).toEqual(['a', 'b']);
});

test('queries with different variables are not coalesced, nor those that JSON cannot tell apart', async () => {
  const ids = ['1', '2', null, Number.POSITIVE_INFINITY, 1n];
  const { results } = await callsOf(
    'query($id: Any) { shared(id: $id) }',
    [...ids, ...ids].map((id) => ({ id })),
  );
  expect(results.map(({ data }) => data?.['shared'])).toEqual([...ids, ...ids]);
});

test('an operation has the same result once it is compiled', async () => {
  const document = parse('query($id: Any) { shared(id: $id) fails }');
  const results = [];
  for (let turn = 0; turn < 4; turn += 1) {
    results.push(await execute({ document, variableValues: { id: 'x' } }, request));
    await vi.dynamicImportSettled();
  }
  for (const { data, errors } of results) {
    expect(data).toEqual({ shared: 'x', fails: null });
    expect(errors?.map((error) => error.toJSON())).toEqual([
      {
        message: 'There is none',
        path: ['fails'],
        locations: [{ line: 1, column: 35 }],
        extensions: { code: 'NOT_FOUND', status: 404 },
      },
    ]);
  }
});

test('a compiled operation takes defaults where null is not taken, and coerces its variables once', async () => {
  const withDefaults = buildSchema(`
    enum Size { SMALL LARGE }
    input Nested { size: Size! = LARGE }
    scalar Counted
    input Sent { counted: Counted!, nested: Nested! = { size: SMALL }, size: Size! = SMALL, others: [Nested!] }
    type Query { text(sent: Sent!, count: Int!): String }
  `);
  const { text } = withDefaults.getQueryType()?.getFields() ?? {};
  const counted = withDefaults.getType('Counted');
  if (!text || !isScalarType(counted)) {
    throw new Error('the schema has these');
  }
  text.resolve = (_root, args: unknown) => JSON.stringify(args);
  const parseValue = vi.spyOn(counted, 'parseValue');
  const executeText = createExecute(withDefaults, { services: {} });
  const document = parse('query($sent: Sent!, $n: Int! = 3) { text(sent: $sent, count: $n) }');
  const results = [];
  for (let turn = 0; turn < 4; turn += 1) {
    const variableValues = { sent: { counted: 1, others: [{}, { size: 'SMALL' }] } };
    results.push(await executeText({ document, variableValues }, request));
    await vi.dynamicImportSettled();
    // As without the program.
    expect(parseValue).toHaveBeenCalledTimes(turn + 1);
  }
  for (const { data } of results) {
    expect(JSON.parse(String(data?.['text']))).toEqual({
      sent: {
        counted: 1,
        nested: { size: 'SMALL' },
        size: 'SMALL',
        others: [{ size: 'LARGE' }, { size: 'SMALL' }],
      },
      count: 3,
    });
  }
});

test('variables that do not fit are BAD_USER_INPUT, under the name of the argument', async () => {
  const document = parse('query($x: ID!) { byId(id: $x) }');
  for (const variableValues of [{}, { x: 1.5 }]) {
    const { errors } = await execute({ document, variableValues }, request);
    expect(errors?.map((error) => [error.message, error.extensions['code']])).toEqual([
      ['id must be a string or an integer', 'BAD_USER_INPUT'],
    ]);
  }
});

test('of thousands of items that do not fit, few are coerced, and 20 are told', async () => {
  const withList = buildSchema(`
    scalar Counted
    type Query { count(items: [Counted!]!): Int }
  `);
  const counted = withList.getType('Counted');
  if (!isScalarType(counted)) {
    throw new Error('the schema has it');
  }
  const parseValue = vi.spyOn(counted, 'parseValue').mockReturnValue(undefined);
  const executeCount = createExecute(withList, { services: {} });
  const document = parse('query($items: [Counted!]!) { count(items: $items) }');
  for (let turn = 0; turn < 4; turn += 1) {
    parseValue.mockClear();
    const variableValues = { items: Array.from({ length: 10_000 }, (_, index) => index) };
    const { errors } = await executeCount({ document, variableValues }, request);
    await vi.dynamicImportSettled();
    expect(errors?.map(({ extensions }) => extensions.faults?.length)).toEqual([20]);
    expect(parseValue.mock.calls.length).toBeLessThan(50);
  }
});
