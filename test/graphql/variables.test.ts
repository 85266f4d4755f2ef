// Loaded before the service asks for it, so that an operation is compiled right after its second use.
import 'graphql-jit';
import { expect, onTestFinished, test, vi } from 'vitest';
import { NO_ANIMAL } from '../support/animals.ts';
import { startGateway } from '../support/gateway.ts';
import { faultsIn, pathInNewPet } from '../support/error-body.ts';
import { times } from '../support/documents.ts';

const LIMIT = 'limit must be an integer between 1 and 100';
const STATUS = 'status must be one of available, pending, sold';
const AFTER = 'after must be an integer between -9223372036854775808 and 9223372036854775807';
const NAME = 'name must be a string of 1 to 255 characters, without NUL or unpaired surrogates';
const CATEGORY_ID =
  'categoryId must be an integer between -9223372036854775808 and 9223372036854775807';

const { post, database } = await startGateway();

type Row = [marked: string, variables: string, message: string, field?: string];

/** A query for animals whose arguments are variables with these definitions. */
function listBy(definitions: string): string {
  const names = { n: 'limit: $n', s: 'status: $s', a: 'after: $a' };
  const given = (['n', 's', 'a'] as const).filter((name) => definitions.includes(`$${name}:`));
  return `query(${definitions}) { pets(${given.map((name) => names[name]).join(', ')}) { id } }`;
}

/** Invalid variables, whose messages name the arguments that use them. */
const LISTS: readonly (readonly [definitions: string, variables: string, message: string])[] = [
  ...'"5" 5.5 true [5] {} 2147483648 9223372036854775807 1e400'
    .split(' ')
    .map((value) => ['|$n: Int', `{"n":${value}}`, LIMIT] as const),
  ['|$n: Int!', '{"n":null}', LIMIT],
  ['|$n: Int!', '{}', LIMIT],
  ['|$n: Int!', '{"N":5}', LIMIT],
  ['|$n: Int! = 5', '{"n":null}', LIMIT],
  ['|$n: Int = 5', '{"n":"5"}', LIMIT],
  ['|$n: Int, $s: PetStatus', '{"n":"5","s":"lost"}', `${LIMIT}; ${STATUS}`],
  ['$s: PetStatus = sold, |$n: Int', '{"n":true}', LIMIT],
  ['$n: Int, |$s: PetStatus', '{"s":"lost"}', STATUS],
  ['$n: Int, |$s: PetStatus', '{"n":0,"s":"Sold"}', `${LIMIT}; ${STATUS}`],
  ...'"" 5 ["sold","lost"] "__proto__"'
    .split(' ')
    .map((value) => ['$n: Int, |$s: PetStatus', `{"s":${value}}`, STATUS] as const),
  ['$n: Int, |$s: PetStatus!', '{"n":101}', `${LIMIT}; ${STATUS}`],
  ['|$a: ID, $n: Int, $s: PetStatus', '{"a":5.5,"n":{},"s":{}}', `${AFTER}; ${LIMIT}; ${STATUS}`],
];

/** Invalid arguments, which are reported where they are used. */
const ARGUMENTS: readonly (readonly [marked: string, variables: string, message: string])[] = [
  ['query($n: Int) { |pets(limit: $n) { id } }', '{"n":0}', LIMIT],
  ['query($n: Int) { |pets(limit: $n) { id } }', '{"n":101}', LIMIT],
  ['query($n: Int! = 0) { |pets(limit: $n) { id } }', '{}', LIMIT],
  ['query($n: Int = 500) { |pets(limit: $n) { id } }', '{}', LIMIT],
  ['query($n: Int) { pets(limit: |$n) { id } }', '{"n":null}', LIMIT],
  ['query($n: Int = 5) { pets(limit: |$n) { id } }', '{"n":null}', LIMIT],
  ['query($n: Int = null) { pets(limit: |$n) { id } }', '{}', LIMIT],
  ['{ |pets(limit: -1) { id } }', '{}', LIMIT],
  ['{ |pets(limit: 2147483647) { id } }', '{}', LIMIT],
  ['query($a: ID) { |pets(after: $a, limit: 0) { id } }', '{"a":"x"}', `${LIMIT}; ${AFTER}`],
  ['query($n: Int) { ...F } fragment F on Query { pets(limit: |$n) { id } }', '{"n":null}', LIMIT],
  [
    'query($n: Int) { pets(limit: |$n) { id } petsConnection(first: $n) { nodes { id } } }',
    '{"n":null}',
    LIMIT,
  ],
];

/** Variables that are not a valid `NewPet`. */
const UNFIT: readonly (readonly [variables: string, message: string])[] = [
  ['{}', NO_ANIMAL],
  ...'null 5 "Rex" []'.split(' ').map((value) => [`{"i":${value}}`, NO_ANIMAL] as const),
  ['{"i":{}}', `${NAME}; ${CATEGORY_ID}`],
  ['{"i":{"name":"Rex"}}', CATEGORY_ID],
  ['{"i":{"categoryId":1}}', NAME],
  ['{"i":{"name":null,"categoryId":null,"status":null}}', `${NAME}; ${CATEGORY_ID}; ${STATUS}`],
  ['{"i":{"name":5,"categoryId":1}}', NAME],
  ['{"i":{"name":"Rex","categoryId":5.5}}', CATEGORY_ID],
  ['{"i":{"name":"Rex","categoryId":1,"status":"lost"}}', STATUS],
  ['{"i":{"status":"lost","categoryId":"x","name":""}}', `${NAME}; ${CATEGORY_ID}; ${STATUS}`],
  ['{"i":{"name":"Rex","categoryId":1,"colour":"red"}}', 'colour is not a field of NewPet'],
  [
    '{"i":{"id":1,"name":"Rex","toString":1}}',
    `${CATEGORY_ID}; id is not a field of NewPet; toString is not a field of NewPet`,
  ],
];

/** Values of the right type that a rule rejects. */
const OUT_OF_BOUNDS: typeof UNFIT = [
  ['{"i":{"name":"","categoryId":1}}', NAME],
  [`{"i":{"name":"${'x'.repeat(256)}","categoryId":1}}`, NAME],
  ['{"i":{"name":"\\u0000","categoryId":"5.0"}}', `${NAME}; ${CATEGORY_ID}`],
  ['{"i":{"name":"\\ud800","categoryId":9223372036854775808}}', `${NAME}; ${CATEGORY_ID}`],
];

const PARTS = 'createPet(input: { name: $x, categoryId: $y, status: $z }) { id } }';
const ALL = `${NAME}; ${CATEGORY_ID}; ${STATUS}`;

// A `|` marks the place in the document that the error reports; it is not sent.
test.each<Row>([
  ...Array.from(LISTS, ([definitions, ...row]): Row => [listBy(definitions), ...row]),
  ...Array.from(ARGUMENTS, (row): Row => [...row, 'pets']),
  ...Array.from(UNFIT, (row): Row => [
    'mutation(|$i: NewPet!) { createPet(input: $i) { id } }',
    ...row,
  ]),
  ...Array.from(OUT_OF_BOUNDS, (row): Row => [
    'mutation($i: NewPet!) { |createPet(input: $i) { id } }',
    ...row,
    'createPet',
  ]),
  [
    `mutation($x: String!, $y: ID!, |$z: PetStatus!) { ${PARTS}`,
    '{"x":"","y":"abc","z":"lost"}',
    ALL,
  ],
  [
    `mutation($x: String!, $y: ID!, $z: PetStatus) { ${PARTS.replace('{', '|{')}`,
    '{"x":"Rex","y":1,"z":null}',
    STATUS,
    'createPet',
  ],
  [
    'mutation { |createPet(input: { name: "", categoryId: "x" }) { id } }',
    '{}',
    `${NAME}; ${CATEGORY_ID}`,
    'createPet',
  ],
  ['query(|$b: Boolean!) { pets @include(if: $b) { id } }', '{"b":1}', 'if must be true or false'],
])('%s with %s reports each fault: %s', async (marked, variables, message, field) => {
  const error = {
    message,
    locations: [{ line: 1, column: marked.indexOf('|') + 1 }],
    extensions: {
      code: 'BAD_USER_INPUT',
      status: 400,
      faults: faultsIn(message, marked.includes('createPet') ? pathInNewPet : undefined),
    },
  };
  const data = field === 'createPet' ? { [field]: null } : null;
  const body = `{"query":${JSON.stringify(marked.replace('|', ''))},"variables":${variables}}`;
  // The third request runs the compiled operation.
  for (let time = 1; time <= 3; time += 1) {
    const { status, json } = await post('/graphql', body);
    expect([status, json]).toEqual([
      200,
      field === undefined ? { errors: [error] } : { errors: [{ ...error, path: [field] }], data },
    ]);
  }
  expect(await database.pet.count()).toBe(0);
});

test('a variable is validated by its definition in the executed operation', async () => {
  const answer = await post('/graphql', {
    query: 'query A($n: Int) { pets(limit: $n) { id } } query B($n: ID) { pets(after: $n) { id } }',
    operationName: 'A',
    variables: { n: 'x' },
  });
  expect(answer.json).toHaveProperty('errors.0.message', LIMIT);
});

/** Maximum number of errors created for a request: those for the first 20 faults, and those that contain them. */
const MAX_ERRORS_MADE = 60;

const CREATE = 'mutation($input: NewPet!) { createPet(input: $input) { id } }';
const GET = 'query($id: ID!) { pet(id: $id) { id } }';
const members = (count: number): string => `{${times(count, (index) => `"k${index}":1`, ',')}}`;
const items = `[${times(40_000, () => '1', ',')}]`;

test.each([
  ['unknown members', CREATE, `{"input":${members(8000)}}`],
  ['items in place of an object', CREATE, `{"input":${items}}`],
  ['members in place of a string', CREATE, `{"input":{"name":${members(8000)}}}`],
  ['items in place of an id', GET, `{"id":${items}}`],
])('thousands of %s create only a few error objects', async (_what, query, variables) => {
  const made = vi.spyOn(Error, 'captureStackTrace');
  onTestFinished(() => {
    made.mockRestore();
  });
  const body = `{"query":${JSON.stringify(query)},"variables":${variables}}`;
  for (let use = 1; use <= 3; use += 1) {
    made.mockClear();
    const { status, text } = await post('/graphql', body);
    expect([status, JSON.parse(text)]).toMatchObject([
      200,
      {
        errors: [{ locations: [{ line: 1 }], extensions: { code: 'BAD_USER_INPUT', status: 400 } }],
      },
    ]);
    expect(made.mock.calls.length).toBeGreaterThan(0);
    expect(made.mock.calls.length).toBeLessThan(MAX_ERRORS_MADE);
    expect(text.length).toBeLessThan(10_000);
  }
});

test('a fault with a very long name reports only the start of the name', async () => {
  const input = { ['x'.repeat(90_000)]: 1 };
  const { json, text } = await post('/graphql', { query: CREATE, variables: { input } });
  const name = `${'x'.repeat(100)}…`;
  expect(json).toMatchObject({
    errors: [
      {
        extensions: {
          faults: [{}, {}, { path: ['input', name], message: `${name} is not a field of NewPet` }],
        },
      },
    ],
  });
  expect(text.length).toBeLessThan(10_000);
});

test('only the first 20 of a thousand faults are reported', async () => {
  const fields = Array.from({ length: 1000 }, (_, index) => [`f${index}`, 1] as const);
  const input = { name: 'Rex', categoryId: 1, ...Object.fromEntries(fields) };
  const { json } = await post('/graphql', { query: CREATE, variables: { input } });
  const faults = fields.slice(0, 20).map(([name]) => ({
    path: ['input', name],
    message: `${name} is not a field of NewPet`,
  }));
  const message = faults.map((fault) => fault.message).join('; ');
  expect(json).toMatchObject({ errors: [{ message, extensions: { faults } }] });
});
