import { expect, test } from 'vitest';
import { NO_ANIMAL } from '../support/animals.ts';
import { startGateway } from '../support/gateway.ts';
import { faultsIn, pathInNewPet } from '../support/input-faults.ts';

const LIMIT = 'limit must be an integer between 1 and 100';
const STATUS = 'status must be one of available, pending, sold';
const AFTER = 'after must be an integer between -9223372036854775808 and 9223372036854775807';
const NAME = 'name must be a string of 1 to 255 characters, without NUL or unpaired surrogates';
const CATEGORY_ID =
  'categoryId must be an integer between -9223372036854775808 and 9223372036854775807';

const { post, database } = await startGateway();

/**
 * Sends an operation with variables as they stand in JSON, and tells the answer with what it is to be.
 * A `|` stands before the place in the document that the error is to tell; it is not sent.
 */
const refusal = async (marked: string, variables: string, message: string, field?: string) => {
  const query = JSON.stringify(marked.replace('|', ''));
  const { status, json } = await post('/graphql', `{"query":${query},"variables":${variables}}`);
  const error = {
    message,
    locations: [{ line: 1, column: marked.indexOf('|') + 1 }],
    extensions: {
      code: 'BAD_USER_INPUT',
      status: 400,
      faults: faultsIn(message, marked.includes('createPet') ? pathInNewPet : undefined),
    },
  };
  const refused =
    field === undefined
      ? { errors: [error] }
      : {
          errors: [{ ...error, path: [field] }],
          data: field === 'createPet' ? { [field]: null } : null,
        };
  return { answer: [status, json], expected: [200, refused] };
};

test.each([
  ['|$n: Int', '{"n":"5"}', LIMIT],
  ['|$n: Int', '{"n":5.5}', LIMIT],
  ['|$n: Int', '{"n":true}', LIMIT],
  ['|$n: Int', '{"n":[5]}', LIMIT],
  ['|$n: Int', '{"n":{}}', LIMIT],
  ['|$n: Int', '{"n":2147483648}', LIMIT],
  ['|$n: Int', '{"n":9223372036854775807}', LIMIT],
  ['|$n: Int', '{"n":1e400}', LIMIT],
  ['|$n: Int!', '{"n":null}', LIMIT],
  ['|$n: Int!', '{}', LIMIT],
  ['|$n: Int!', '{"N":5}', LIMIT],
  ['|$n: Int! = 5', '{"n":null}', LIMIT],
  ['|$n: Int = 5', '{"n":"5"}', LIMIT],
  ['|$n: Int, $s: PetStatus', '{"n":"5","s":"lost"}', `${LIMIT}; ${STATUS}`],
  ['$s: PetStatus = sold, |$n: Int', '{"n":true}', LIMIT],
  ['$n: Int, |$s: PetStatus', '{"s":"lost"}', STATUS],
  ['$n: Int, |$s: PetStatus', '{"n":0,"s":"Sold"}', `${LIMIT}; ${STATUS}`],
  ['$n: Int, |$s: PetStatus', '{"s":""}', STATUS],
  ['$n: Int, |$s: PetStatus', '{"s":5}', STATUS],
  ['$n: Int, |$s: PetStatus', '{"s":["sold","lost"]}', STATUS],
  ['$n: Int, |$s: PetStatus', '{"s":"__proto__"}', STATUS],
  ['$n: Int, |$s: PetStatus!', '{"n":101}', `${LIMIT}; ${STATUS}`],
  ['|$a: ID, $n: Int, $s: PetStatus', '{"a":5.5,"n":{},"s":{}}', `${AFTER}; ${LIMIT}; ${STATUS}`],
])('query(%s) with %s is told by the names of arguments', async (marked, variables, message) => {
  const given = (['n', 's', 'a'] as const).filter((name) => marked.includes(`$${name}:`));
  const names = { n: 'limit: $n', s: 'status: $s', a: 'after: $a' };
  const list = given.map((name) => names[name]).join(', ');
  const query = `query(${marked}) { pets(${list}) { id } }`;
  const { answer, expected } = await refusal(query, variables, message);
  expect(answer).toEqual(expected);
});

test.each([
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
])('%s with %s is told where it is met', async (query, variables, message) => {
  const { answer, expected } = await refusal(query, variables, message, 'pets');
  expect(answer).toEqual(expected);
});

const WHOLE = 'mutation(|$i: NewPet!) { createPet(input: $i) { id } }';

test.each([
  ['{}', NO_ANIMAL],
  ['{"i":null}', NO_ANIMAL],
  ['{"i":5}', NO_ANIMAL],
  ['{"i":"Rex"}', NO_ANIMAL],
  ['{"i":[]}', NO_ANIMAL],
  ['{"i":{}}', `${NAME}; ${CATEGORY_ID}`],
  ['{"i":{"name":"Rex"}}', CATEGORY_ID],
  ['{"i":{"categoryId":1}}', NAME],
  ['{"i":{"name":null,"categoryId":null,"status":null}}', `${NAME}; ${CATEGORY_ID}; ${STATUS}`],
  ['{"i":{"name":5,"categoryId":1}}', NAME],
  ['{"i":{"name":["Rex"],"categoryId":1}}', NAME],
  ['{"i":{"name":"Rex","categoryId":5.5}}', CATEGORY_ID],
  ['{"i":{"name":"Rex","categoryId":9007199254740993.5}}', CATEGORY_ID],
  ['{"i":{"name":"Rex","categoryId":true}}', CATEGORY_ID],
  ['{"i":{"name":"Rex","categoryId":1,"status":"lost"}}', STATUS],
  ['{"i":{"status":"lost","categoryId":"x","name":""}}', `${NAME}; ${CATEGORY_ID}; ${STATUS}`],
  ['{"i":{"name":"Rex","categoryId":1,"colour":"red"}}', 'colour is not a field of NewPet'],
  [
    '{"i":{"id":1,"name":"Rex","toString":1}}',
    `${CATEGORY_ID}; id is not a field of NewPet; toString is not a field of NewPet`,
  ],
])('NewPet as %s is told member by member', async (variables, message) => {
  const { answer, expected } = await refusal(WHOLE, variables, message);
  expect(answer).toEqual(expected);
  expect(await database.pet.count()).toBe(0);
});

test.each([
  ['{"i":{"name":"","categoryId":1}}', NAME],
  [`{"i":{"name":"${'x'.repeat(256)}","categoryId":1}}`, NAME],
  ['{"i":{"name":"\\u0000","categoryId":"5.0"}}', `${NAME}; ${CATEGORY_ID}`],
  ['{"i":{"name":"\\ud800","categoryId":9223372036854775808}}', `${NAME}; ${CATEGORY_ID}`],
])('NewPet as %s is out of bounds', async (variables, message) => {
  const query = 'mutation($i: NewPet!) { |createPet(input: $i) { id } }';
  const { answer, expected } = await refusal(query, variables, message, 'createPet');
  expect(answer).toEqual(expected);
  expect(await database.pet.count()).toBe(0);
});

const PARTS = 'createPet(input: { name: $x, categoryId: $y, status: $z }) { id } }';

test('a variable for a field of NewPet is told by the name of the field', async () => {
  const query = `mutation($x: String!, $y: ID!, |$z: PetStatus!) { ${PARTS}`;
  const all = `${NAME}; ${CATEGORY_ID}; ${STATUS}`;
  const wrong = await refusal(query, '{"x":"","y":"abc","z":"lost"}', all);
  expect(wrong.answer).toEqual(wrong.expected);
});

test('null for a field of NewPet that has a default is told by the name of the field', async () => {
  const query = `mutation($x: String!, $y: ID!, $z: PetStatus) { ${PARTS}`;
  const nothing = await refusal(
    query.replace('{ createPet(input: {', '{ createPet(input: |{'),
    '{"x":"Rex","y":1,"z":null}',
    STATUS,
    'createPet',
  );
  expect(nothing.answer).toEqual(nothing.expected);
});

test('a variable of another operation is none of this one, whatever its name', async () => {
  const answer = await post('/graphql', {
    query: 'query A($n: Int) { pets(limit: $n) { id } } query B($n: ID) { pets(after: $n) { id } }',
    operationName: 'A',
    variables: { n: 'x' },
  });
  expect(answer.json).toHaveProperty('errors.0.message', LIMIT);
});

test('a variable of a directive is told by the name of its argument', async () => {
  const query = 'query(|$b: Boolean!) { pets @include(if: $b) { id } }';
  const { answer, expected } = await refusal(query, '{"b":1}', 'if must be true or false');
  expect(answer).toEqual(expected);
});
