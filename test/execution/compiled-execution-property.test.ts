import {
  array,
  assert,
  asyncProperty,
  constantFrom,
  oneof,
  record,
  tuple,
  uniqueArray,
} from 'fast-check';
import { expect, test } from 'vitest';
import { addDelicatePets, executedThrice } from '../support/executed-thrice.ts';
import { startGateway } from '../support/gateway.ts';
import { propertyRuns } from '../support/property-runs.ts';

const gateway = await startGateway();
await addDelicatePets(gateway);

const leaf = constantFrom('id', 'name', 'status', 'categoryId', '__typename', 'x: id', 'y: name');
const leaves = array(leaf, { minLength: 1, maxLength: 4 }).map((list) => list.join(' '));
const part = leaves.map((selection) => `... on Pet { ${selection} }`);
const pet = array(oneof(leaf, part, constantFrom('...F', '...G')), {
  minLength: 1,
  maxLength: 5,
}).map((list) => list.join(' '));

const list = constantFrom(
  '',
  '(limit: 2)',
  '(limit: $n)',
  '(limit: 0)',
  '(status: sold)',
  '(status: $s)',
  '(ids: [$id])',
  '(limit: 3, after: $id)',
);
const page = oneof(
  list,
  constantFrom(
    '(first: $n)',
    '(first: 2, after: $id)',
    '(last: $n, before: $id)',
    '(last: 2, status: sold)',
    '(first: $n, last: 1)',
  ),
);
const root = oneof(
  pet.map((selection) => `pet(id: $id) { ${selection} }`),
  tuple(list, pet).map(([args, selection]) => `pets${args} { ${selection} }`),
  tuple(page, pet).map(
    ([args, selection]) =>
      `petsConnection${args} { nodes { ${selection} } edges { cursor node { ${selection} } } pageInfo { endCursor hasPreviousPage hasNextPage startCursor } }`,
  ),
);
const document = record({
  roots: uniqueArray(root, { minLength: 1, maxLength: 3 }),
  fragment: leaves,
  inner: leaves,
});
/** Values as JSON. Most are valid, because one invalid value fails the whole operation. */
const given = (valid: readonly string[], wrong: readonly string[]) =>
  oneof({ weight: 7, arbitrary: constantFrom(...valid) }, constantFrom(...wrong));
const variables = record(
  {
    n: given(
      ['1', '2', '5', '100'],
      '0 -1 101 null "2" 2.5 [2] {} true 9007199254740993 1e400'.split(' '),
    ),
    s: given(['"sold"', 'null'], ['"Sold"', '1', 'true', '["sold"]', '"__proto__"']),
    id: given(
      '1 "2" 9007199254740992 "9007199254740993" 9223372036854775806 0'.split(' '),
      '"x" "" -1 9223372036854775808 1.5 true null [1] {}'.split(' '),
    ),
    m: constantFrom('1'),
  },
  { requiredKeys: ['id'] },
);

test('any selection without @skip or @include has the same result interpreted and compiled', async () => {
  let withData = 0;
  const property = asyncProperty(document, variables, async (asked, sentVariables) => {
    const selections = asked.roots.map((text, index) => `p${index}: ${text}`).join(' ');
    // Every declared variable must be used.
    const used = 'v: pets(limit: $n, status: $s, after: $id) { ...F }';
    const query = `query($n: Int! = 2, $s: PetStatus = pending, $id: ID!) { ${selections} ${used} } fragment F on Pet { ${asked.fragment} ...G } fragment G on Pet { ${asked.inner} }`;
    const sent = Object.entries(sentVariables).map(([name, value]) => `"${name}":${value}`);
    const { text } = await executedThrice(gateway, query, { variables: `{${sent.join(',')}}` });
    withData += text.includes('"data":{') ? 1 : 0;
  });
  await assert(property, propertyRuns(60));
  // Not only errors were compared.
  expect(withData).toBeGreaterThan(10);
});
