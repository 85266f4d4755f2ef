import { setImmediate } from 'node:timers/promises';
import {
  array,
  assert,
  asyncProperty,
  boolean,
  constantFrom,
  oneof,
  record,
  tuple,
  type Arbitrary,
} from 'fast-check';
import { buildSchema, isObjectType, parse } from 'graphql';
// Imported eagerly, so that an operation is compiled right after its second execution.
import 'graphql-jit';
import { expect, test } from 'vitest';
import { codedError } from '@store-gateway/ops/errors';
import { propertyRuns } from '../../../test/support/property-runs.ts';
import { createExecute } from '../src/execution/execute.ts';

const FIELDS = ['nullable: Node', 'required: Node!', 'list: [Node!]!']
  .map((field) => field.replace(':', '(how: How, ids: [ID!], part: Part):'))
  .join(' ');
const schema = buildSchema(`
  enum How { LATER FAIL FAIL_LATER AWAY }
  input Part { text: String = "none" id: ID }
  type Query { ${FIELDS} }
  type Mutation { ${FIELDS} }
  type Node { id: ID! given: String ${FIELDS} }
`);

let calls = 0;

interface Given {
  readonly how?: string | null;
}

function resolve(isList: boolean, args: Given): unknown {
  calls += 1;
  const node = {
    id: '1',
    given: JSON.stringify(
      Object.entries(args).toSorted(([one], [other]) => (one < other ? -1 : 1)),
    ),
  };
  const value = isList ? [node, node] : node;
  switch (args.how) {
    case 'LATER':
      return Promise.resolve(value);
    case 'FAIL':
      throw codedError('BAD_USER_INPUT', 'no');
    case 'FAIL_LATER':
      return Promise.reject(codedError('NOT_FOUND', 'not there'));
    case 'AWAY':
      throw codedError('SERVICE_UNAVAILABLE', 'away');
    default:
      return value;
  }
}

for (const type of Object.values(schema.getTypeMap())) {
  const fields = isObjectType(type) && !type.name.startsWith('__') ? type.getFields() : {};
  for (const field of Object.values(fields).filter(({ args }) => args.length > 0)) {
    field.resolve = (_source, args: Given) => resolve(field.name === 'list', args);
  }
}

const execute = createExecute(schema, { services: {} });
const TURNS = 17;

/** Executes an operation repeatedly, from the third time on as compiled code if possible. @returns the results */
async function resultsOf(
  query: string,
  variableValues: Record<string, unknown> = {},
  noLocation = false,
) {
  const document = parse(query, { noLocation });
  const results: string[] = [];
  while (results.length < TURNS) {
    const result = await execute({ document, variableValues }, { caller: 'someone' });
    results.push(JSON.stringify(result));
    await setImmediate();
  }
  return results;
}

const VARIABLES = '($id: ID = 2, $text: String, $how: How = LATER)';
const variables = record(
  {
    id: constantFrom(null, '3'),
    text: constantFrom(null, 'given'),
    how: constantFrom(null, 'FAIL', 'FAIL_LATER'),
  },
  { requiredKeys: [] },
);
const leaf = constantFrom('id', 'given', '__typename');
const given = constantFrom(
  '',
  '',
  '(how: LATER)',
  '(how: FAIL)',
  '(how: FAIL_LATER)',
  '(how: $how)',
  '(ids: [1, 2])',
  '(ids: [$id])',
  '(part: { text: $text })',
  '(part: { id: $id, text: "x" })',
);
const fieldOf = (below: Arbitrary<string>) =>
  tuple(constantFrom('nullable', 'required', 'list'), given, below).map(
    ([name, args, selected]) => `${name}${args} { ${selected} }`,
  );
const several = (field: Arbitrary<string>) =>
  array(field, { minLength: 1, maxLength: 3 }).map((fields) =>
    fields.map((text, index) => `f${index}: ${text}`).join(' '),
  );
const selection = several(fieldOf(several(oneof(leaf, leaf, fieldOf(leaf)))));

test('an operation has the same result in each of 17 executions, whether interpreted or compiled', async () => {
  await assert(
    asyncProperty(boolean(), selection, variables, async (isMutation, selected, values) => {
      const kind = isMutation ? 'mutation' : 'query';
      const results = await resultsOf(`${kind} ${VARIABLES} { ${selected} }`, values);
      expect(new Set(results)).toEqual(new Set(results.slice(0, 1)));
    }),
    propertyRuns(200),
  );
});

test.each<[string, Record<string, unknown>?]>([
  ['query ($id: ID = 2) { list(ids: [$id]) { id } }', { id: null }],
  ['query ($id: ID = 2) { nullable(part: { id: $id }) { given } }', { id: null }],
  ['query ($text: String) { nullable(part: { text: $text }) { given } }'],
  ['{ list(how: FAIL) { id } nullable(how: FAIL_LATER) { id } }'],
  ['{ nullable(how: FAIL_LATER) { id } list(how: FAIL) { id } }'],
  ['{ nullable { required(how: FAIL) { id } } list(how: FAIL) { id } }'],
  ['mutation { required { list(how: FAIL) { id } nullable(how: FAIL) { id } } }'],
])(
  '%s has the same result in each of 17 executions, whether interpreted or compiled',
  async (query, values = {}) => {
    const results = await resultsOf(query, values);
    expect(results).toEqual(results.map(() => results[0]));
  },
);

test('errors in a document without locations have no locations, whether it is interpreted or compiled', async () => {
  const results = await resultsOf('{ nullable(how: FAIL) { id } list { id } }', {}, true);
  expect(results).toEqual(results.map(() => results[0]));
});

test('an operation is executed only once per request, even if the database is unavailable', async () => {
  const query = '{ required(how: AWAY) { id } list { id } }';
  calls = 0;
  await resultsOf(query);
  // graphql-js runs the first two executions, and stops at the first error.
  expect(calls).toBe(2 + 2 * (TURNS - 2));
});
