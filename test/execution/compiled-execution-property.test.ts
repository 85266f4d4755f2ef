import {
  array,
  assert,
  asyncProperty,
  boolean,
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

const condition = constantFrom('$a', '$b', 'true', 'false');
const directives = array(
  tuple(constantFrom('skip', 'include'), condition).map(
    ([name, value]) => ` @${name}(if: ${value})`,
  ),
  { maxLength: 2 },
).map((list) => (list[0]?.slice(0, 4) === list[1]?.slice(0, 4) ? (list[0] ?? '') : list.join('')));

const leaf = tuple(
  constantFrom('id', 'name', 'status', 'categoryId', '__typename', 'x: id', 'y: name'),
  directives,
).map((parts) => parts.join(''));
const leaves = array(leaf, { minLength: 1, maxLength: 4 }).map((list) => list.join(' '));
const part = tuple(
  leaves.map((list) => [`... on Pet`, `{ ${list} }`]),
  directives,
).map(([[type, selection], directive]) => `${type}${directive} ${selection}`);
const spread = tuple(constantFrom('...F', '...G'), directives).map((parts) => parts.join(''));
const pet = array(
  constantFrom(0, 1, 2).chain((kind) => [leaf, part, spread][kind] ?? leaf),
  {
    minLength: 1,
    maxLength: 5,
  },
).map((list) => list.join(' '));

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
const root = tuple(
  constantFrom('pets', 'connection', 'pet'),
  list,
  page,
  directives,
  pet,
  directives,
).map(([kind, args, pageArgs, directive, selection, within]) => {
  switch (kind) {
    case 'pet':
      return `pet(id: $id)${directive} { ${selection} }`;
    case 'pets':
      return `pets${args}${directive} { ${selection} }`;
    default:
      return `petsConnection${pageArgs}${directive} { nodes${within} { ${selection} } edges { cursor${within} node { ${selection} } } pageInfo { endCursor${directive} hasPreviousPage hasNextPage startCursor } }`;
  }
});
const document = record({
  roots: uniqueArray(root, { minLength: 1, maxLength: 3 }),
  fragment: leaves,
  inner: leaves,
  within: directives,
  isConditional: boolean(),
});
/** Values as they stand in JSON: most are valid, since one that isn't has the whole operation refused. */
const given = (valid: readonly string[], wrong: readonly string[]) =>
  oneof({ weight: 7, arbitrary: constantFrom(...valid) }, constantFrom(...wrong));
const truth = given(['true', 'false'], ['null', '1', '"no"']);
const variables = record(
  {
    a: truth,
    b: truth,
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
  { requiredKeys: ['b', 'id'] },
);

/** And the variables that they alone make use of. */
const CONDITIONS = / @(?:skip|include)\(if: [^)]*\)|\$[ab]: Boolean![^,]*, /g;

test('any selection under any directives has the same result interpreted and compiled', async () => {
  let withData = 0;
  const property = asyncProperty(
    document,
    variables,
    async ({ roots, fragment, inner, within, isConditional }, sentVariables) => {
      const selections = roots.map((text, index) => `p${index}: ${text}`).join(' ');
      // What is declared has to be made use of.
      const used =
        'u: __typename @skip(if: $a) @include(if: $b) v: pets(limit: $n, status: $s, after: $id) { ...F }';
      const query = `query($a: Boolean! = false, $b: Boolean!, $n: Int! = 2, $s: PetStatus = pending, $id: ID!) { ${selections} ${used} }
      fragment F on Pet { ${fragment} ...G${within} } fragment G on Pet { ${inner} }`;
      const sent = Object.entries(sentVariables).map(([name, value]) => `"${name}":${value}`);
      // Without conditions it is compiled.
      const executed = isConditional ? query : query.replaceAll(CONDITIONS, '');
      const { text } = await executedThrice(gateway, executed.replaceAll(/\s+/g, ' '), {
        variables: `{${sent.join(',')}}`,
      });
      withData += text.includes('"data":{') ? 1 : 0;
    },
  );
  await assert(property, propertyRuns(60));
  // Not only refusals were compared.
  expect(withData).toBeGreaterThan(10);
});
