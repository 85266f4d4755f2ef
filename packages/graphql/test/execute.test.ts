import { buildSchema, isScalarType, parse } from 'graphql';
import { expect, test, vi } from 'vitest';
import { createExecute } from '../src/execution/execute.ts';

const schema = buildSchema(`
  scalar Any
  type Query { shared(id: Any): Any own: Int }
  type Mutation { add: Int }
`);
const { shared, own } = schema.getQueryType()?.getFields() ?? {};
const add = schema.getMutationType()?.getFields()['add'];
if (!shared || !own || !add) {
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
  // The first request starts an execution at once; the others share the next execution.
  ['a query of a shared root field', '{ shared(id: 1) }', 2],
  ['a query of an unshared root field', '{ own }', 10],
  [
    'a query of a shared and an unshared root field',
    '{ own ...F } fragment F on Query { shared(id: 1) }',
    20,
  ],
  ['a mutation', 'mutation { add }', 10],
])(
  '%s that is sent ten times at once calls its resolvers %s times',
  async (_what, query, expected) => {
    expect((await callsOf(query, TEN)).calls).toBe(expected);
  },
);

test('a shared execution is reported once, for the request that started it', async () => {
  const led: string[] = [];
  const told = createExecute<string>(schema, {
    services: {},
    onExecuted: (_operation, { caller }) => led.push(caller),
  });
  const document = parse('{ shared(id: 1) }');
  const sent = ['a', 'b', 'c', 'd'].map((caller) => told({ document }, { ...request, caller }));
  await Promise.all(sent);
  // The first request starts at once, and the others share the next execution.
  expect(led).toEqual(['a', 'b']);
});

test('queries with different variables are not coalesced, even if the variables have the same JSON', async () => {
  const ids = ['1', '2', null, Number.POSITIVE_INFINITY, 1n];
  const { results } = await callsOf(
    'query($id: Any) { shared(id: $id) }',
    [...ids, ...ids].map((id) => ({ id })),
  );
  expect(results.map(({ data }) => data?.['shared'])).toEqual([...ids, ...ids]);
});

test('a compiled operation applies defaults like an interpreted one, and coerces its variables once', async () => {
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
    // Compilation doesn't coerce variables a second time.
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

test('if a variable has 10,000 invalid items, fewer than 50 are coerced and 20 are reported', async () => {
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
