import { expect, test } from 'vitest';
import { startGateway } from '../support/gateway.ts';

const STATUS = 'status must be one of available, pending, sold';
const NAME = 'name must be a string of 1 to 255 characters, without NUL or unpaired surrogates';
const CATEGORY_ID =
  'categoryId must be an integer between -9223372036854775808 and 9223372036854775807';

const CREATE = 'mutation($input: NewPet!) { createPet(input: $input) { id } }';
const gateway = await startGateway();

const named = (name: string) => [`{"name":${name},"categoryId":1}`, NAME];
const categorized = (id: string) => [`{"name":"Rex","categoryId":${id}}`, CATEGORY_ID];
const inStatus = (status: string) => [`{"name":"Rex","categoryId":1,"status":${status}}`, STATUS];

test.each([
  ['{"categoryId":1}', NAME],
  ...[
    ...'null "" 5 9223372036854775807 5.5 true ["Rex"] {"name":"Rex"} "Re\\u0000x"'.split(' '),
    ...'"Rex\\ud83d" "Rex\\ud800" "\\udc00Rex" "\\udc00\\ud800"'.split(' '),
    `"${'x'.repeat(256)}"`,
    `"${'🐈'.repeat(256)}"`,
    // Emoji of two code points each.
    `"${'👍🏽'.repeat(128)}"`,
  ].map(named),
  ['{"name":"Rex"}', CATEGORY_ID],
  ...'null 5.5 9223372036854775808 1e400 "" "x" "05" "five" true false [1] [] {}'
    .split(' ')
    .map(categorized),
  ...[
    '" sold"',
    ...'null "" "lost" "Sold" "__proto__" "\\ud800" 0 true ["sold"] {} 9223372036854775807'.split(
      ' ',
    ),
  ].map(inStatus),
  ['{}', `${NAME}; ${CATEGORY_ID}`],
  ['{"status":"lost","categoryId":1.5,"name":""}', `${NAME}; ${CATEGORY_ID}; ${STATUS}`],
  ['{"name":"\\u0000","categoryId":1,"status":"lost"}', `${NAME}; ${STATUS}`],
])('both APIs reject the input %s with the same error', async (body = '', message = '') => {
  const error = { code: 'BAD_USER_INPUT', status: 400 };
  const rest = await gateway.post('/v1/pets', body);
  expect([rest.status, rest.json]).toEqual([400, { ...error, message }]);
  const sent = `{"query":${JSON.stringify(CREATE)},"variables":{"input":${body}}}`;
  const { json } = await gateway.post('/graphql', sent);
  expect(json).toMatchObject({ errors: [{ message, extensions: error }] });
});

test('a new animal is available if the variable for its status is omitted', async () => {
  const fields = 'name: "Rex", categoryId: 1, status: $s';
  const query = `mutation($s: PetStatus) { createPet(input: { ${fields} }) { status } }`;
  const { text } = await gateway.graphql(query);
  expect(text).toBe('{"data":{"createPet":{"status":"available"}}}');
});
