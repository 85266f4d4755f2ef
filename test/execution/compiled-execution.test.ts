import { getIntrospectionQuery } from 'graphql';
import { expect, test } from 'vitest';
import { addDelicatePets, executedThrice, type Sent } from '../support/executed-thrice.ts';
import { startGateway } from '../support/gateway.ts';

const gateway = await startGateway();
await addDelicatePets(gateway);

const YES_NO = { variables: '{"yes":true,"no":false}' };
const IF = 'query($yes: Boolean!, $no: Boolean!)';
const AB = 'query A($n: Int) { pets(limit: $n) { id } } query B { __typename }';
const BEYOND = '9007199254740993';
const GET = 'query($id: ID!) { pets(limit: 1) { id } pet(id: $id) { id } }';
const AFTER = 'query($a: ID) { petsConnection(after: $a, limit: 1) { nodes { id } } }';
const LIMIT = 'query($n: Int) { pets(limit: $n) { id } }';
const STATUS = 'query($s: PetStatus) { petsConnection(status: $s) { nodes { status } } }';

/** Documents, and what their answers have in them, so that no two wrong answers pass for right ones. */
test.each<[string, string, Sent?]>([
  ['{ pets { ...F } } fragment F on Pet { id ...G } fragment G on Pet { name id }', '"name":"Rex'],
  [
    '{ petsConnection(limit: 2) { ...C pageInfo { ...I } } } fragment C on PetConnection { edges { cursor node { ...N } } nodes { ...N } } fragment N on Pet { status t: __typename } fragment I on PageInfo { endCursor hasNextPage }',
    '"t":"Pet"',
  ],
  [
    '{ pets(limit: 1) { id } ...Q pets(limit: 1) { name ...F } } fragment F on Pet { x: id id } fragment Q on Query { pets(limit: 1) { status } }',
    '"x":"1"',
  ],
  [
    '{ a: pets(limit: 1) { b: id c: id } id: pets(limit: 2) { name: status } }',
    '{"a":[{"b":"1","c":"1"}],"id":[{"name":"pending"},{"name":"sold"}]}',
  ],
  [
    '{ pets(limit: 1) { ... { id } ... on Pet { name } ... @include(if: false) { status } } }',
    '"name"',
  ],
  [
    '{ pets(limit: 1) { name @skip(if: true) } a: pets @include(if: false) { id } }',
    '{"data":{"pets":[{}]}}',
  ],
  ['{ pets @skip(if: true) { id } }', '{"data":{}}'],
  [
    `${IF} { pets(limit: 1) { id @skip(if: $no) name @include(if: $no) status @skip(if: $yes) categoryId @include(if: $yes) } }`,
    `{"id":"1","categoryId":"${BEYOND}"}`,
    YES_NO,
  ],
  [
    `${IF} { pets(limit: 1) { a: id @skip(if: $no) @include(if: $yes) b: id @skip(if: $yes) @include(if: $yes) c: id @skip(if: $no) @include(if: $no) } }`,
    '[{"a":"1"}]',
    YES_NO,
  ],
  [
    `${IF} { pets(limit: 1) { ...F @include(if: $no) ...F @skip(if: $no) ...G @include(if: $no) ...G @skip(if: $yes) } } fragment F on Pet { id } fragment G on Pet { name }`,
    '[{"id":"1"}]',
    YES_NO,
  ],
  [
    `${IF} { pets(limit: 1) { ...F @include(if: $yes) ...G @skip(if: $yes) } } fragment F on Pet { id @include(if: $no) ...G } fragment G on Pet { name @skip(if: $no) id @skip(if: $no) }`,
    '"id":"1"',
    YES_NO,
  ],
  [
    `${IF} { ...Q @include(if: $no) ... @skip(if: $no) { ... @include(if: $yes) { b: __typename } } } fragment Q on Query { a: pets { id } }`,
    '{"data":{"b":"Query"}}',
    YES_NO,
  ],
  [
    `${IF} { __typename @skip(if: $no) pets @include(if: $yes) { id } }`,
    'if must be true or false',
    { variables: '{"yes":null}' },
  ],
  [
    `${IF} { __typename @skip(if: $no) pets @include(if: $yes) { id } }`,
    'if must be true or false',
    { variables: '{"yes":1,"no":"no"}' },
  ],
  [
    'query($b: Boolean = false) { a: __typename @include(if: $b) b: __typename @skip(if: $b) }',
    '{"b":"Query"}',
  ],
  [
    'query($b: Boolean = false) { a: __typename @include(if: $b) }',
    'errors',
    { variables: '{"b":null}' },
  ],
  [
    '{ __typename ...Q pets(limit: 1) { __typename } } fragment Q on Query { t: __typename }',
    '{"__typename":"Query","t":"Query"',
  ],
  [getIntrospectionQuery(), '"queryType":{"name":"Query"'],
  [
    'query($n: String!) { __type(name: $n) { name fields(includeDeprecated: true) { name isDeprecated } } pets(limit: 1) { id } }',
    '"isDeprecated":true',
    { variables: '{"n":"Query"}' },
  ],
  [AB, '"pets":[{"id":"1"},{"id":"2"}]', { operationName: 'A', variables: '{"n":2}' }],
  [AB, '{"data":{"__typename":"Query"}}', { operationName: 'B' }],
  [AB, '{"data":{"__typename":"Query"}}', { operationName: 'B', variables: '{"n":"x"}' }],
  [AB, 'errors', { operationName: 'C' }],
  [AB, 'errors'],
  ...['{}', '{"n":2}', '{"n":100,"m":1}'].map((variables): [string, string, Sent] => [
    LIMIT,
    '"id":"2"',
    { variables },
  ]),
  ...[
    '{"n":null}',
    '{"n":0}',
    '{"n":-1}',
    '{"n":101}',
    '{"n":"2"}',
    '{"n":2.5}',
    '{"n":[2]}',
    '{"n":{}}',
    '{"n":true}',
    `{"n":${BEYOND}}`,
    '{"n":1e400}',
  ].map((variables): [string, string, Sent] => [LIMIT, 'limit must be an integer', { variables }]),
  ['query($n: Int! = 1) { pets(limit: $n) { id } }', '[{"id":"1"}]'],
  ['query($n: Int! = 1) { pets(limit: $n) { id } }', 'limit must be', { variables: '{"n":null}' }],
  ['query($n: Int = 0) { a: pets(limit: $n) { id } b: pets(limit: 1) { id } }', 'limit must be'],
  [
    '{ a: pets(limit: 0) { id } b: pets(limit: 101) { id } c: petsConnection { nodes { id } } }',
    '"data":null',
  ],
  ['{ a: pet(id: 0) { id } b: pet(id: 1) { id } c: pets(limit: 0) { id } }', 'limit must be'],
  [
    '{ a: pet(id: 0) { id } b: pet(id: 1) { id } c: pets(limit: 1) { id } }',
    '"data":{"a":null,"b":{"id":"1"},"c":[{"id":"1"}]}',
  ],
  [`{ pet(id: ${BEYOND}) { id name } }`, `"id":"${BEYOND}"`],
  [`{ pets(after: 9007199254740992, limit: 1) { id } }`, `"id":"${BEYOND}"`],
  ...[BEYOND, `"${BEYOND}"`, '1', '"1"', '9223372036854775806'].map(
    (id): [string, string, Sent] => [
      GET,
      `"pet":{"id":"${id.replaceAll('"', '')}"}`,
      { variables: `{"id":${id}}` },
    ],
  ),
  ...['0', '9223372036854775807', '-9223372036854775808', '9223372036854775808', '"x"', '""'].map(
    (id): [string, string, Sent] => [GET, 'NOT_FOUND', { variables: `{"id":${id}}` }],
  ),
  ...['1.5', 'true', 'null', '[1]', '{}'].map((id): [string, string, Sent] => [
    GET,
    'id must be',
    { variables: `{"id":${id}}` },
  ]),
  [GET, 'id must be'],
  ...['9007199254740992', '"9007199254740992"'].map((a): [string, string, Sent] => [
    AFTER,
    `"id":"${BEYOND}"`,
    { variables: `{"a":${a}}` },
  ]),
  ...['{}', '{"a":null}'].map((variables): [string, string, Sent] => [
    AFTER,
    '"id":"1"',
    { variables },
  ]),
  [AFTER, '"nodes":[]', { variables: '{"a":9223372036854775807}' }],
  ...['{}', '{"s":null}', '{"s":"sold"}'].map((variables): [string, string, Sent] => [
    STATUS,
    '"status":"sold"',
    { variables },
  ]),
  ...['"Sold"', '1', 'true', '["sold"]', '"__proto__"'].map((s): [string, string, Sent] => [
    STATUS,
    'status must be one of',
    { variables: `{"s":${s}}` },
  ]),
  ...['{}', '{"a":3}', '{"a":null}'].map((variables): [string, string, Sent] => [
    'query($a: ID = 3) { pets(limit: 1, ids: [$a]) { id } }',
    variables.includes('null') ? 'ids must be' : '"id":"3"',
    { variables },
  ]),
  ['{ pets(limit: 0) { id } pet(id: "x") { id } }', 'limit must be'],
  ['query($s: PetStatus = pending) { pets(status: $s, limit: 1) { status } }', '"pending"'],
])('%s is answered alike, with %s, as it is and compiled: %o', async (query, has, sent = {}) => {
  const { text } = await executedThrice(gateway, query, sent);
  expect(text).toContain(has);
});
