import { expect, test } from 'vitest';
import { restAnimal } from '../support/animals.ts';
import { errorBody } from '../support/error-body.ts';
import { startGateway } from '../support/gateway.ts';
import { createdPath } from '../support/created-path.ts';

const STATUS = 'status must be one of available, pending, sold';
const NAME = 'name must be a string of 1 to 255 characters, without NUL or unpaired surrogates';
const CATEGORY_ID =
  'categoryId must be an integer between -9223372036854775808 and 9223372036854775807';

const { request, post } = await startGateway();

const refusal = (message: string) => [400, errorBody(400, 'BAD_USER_INPUT', message)];

test.each([
  ['0', '0'],
  ['-0', '0'],
  ['-0.0', '0'],
  ['0e5', '0'],
  ['0e-999999999', '0'],
  ['1e2', '100'],
  ['1E2', '100'],
  ['1E+2', '100'],
  ['100e-2', '1'],
  ['5.0', '5'],
  ['-1.50e1', '-15'],
  ['9007199254740993', '9007199254740993'],
  ['9007199254740993.0', '9007199254740993'],
  ['-9007199254740993e0', '-9007199254740993'],
  ['9223372036854775807', '9223372036854775807'],
  ['9223372036854775807.0', '9223372036854775807'],
  ['9223372036854775807000e-3', '9223372036854775807'],
  ['922337203685477580.7e1', '9223372036854775807'],
  ['9.223372036854775807E18', '9223372036854775807'],
  ['-9223372036854775808', '-9223372036854775808'],
  ['-9.223372036854775808e+18', '-9223372036854775808'],
  [`0.${'0'.repeat(500)}7e501`, '7'],
  [`7${'0'.repeat(250)}e-250`, '7'],
])('the integer %s is taken, and told as %s', async (given, told) => {
  const added = await post('/v1/pets', `{"name":"Rex","categoryId":${given}}`);
  expect(added.status).toBe(201);
  expect(added.text).toMatch(new RegExp(`"categoryId":${told},`));
  const fetched = await request(createdPath(added));
  expect([fetched.status, fetched.text]).toEqual([200, added.text]);
});

test.each([
  '9'.repeat(5000),
  ...'"" "x" "05" true false null [5] [] {}'.split(' '),
  ...'5.5 -0.5 0.99999999999999999999 9007199254740993.5 9223372036854775807.5'.split(' '),
  ...'9223372036854775807.0000000000000000001 15e-1 1e-400 -1e-400 1e-999999999'.split(' '),
  ...'9223372036854775808 -9223372036854775809 9223372036854775808.0 1e19 -1e308'.split(' '),
  ...'1e400 -1e400 1e999999999'.split(' '),
])('categoryId %s is 400', async (categoryId) => {
  const { status, text } = await post('/v1/pets', `{"name":"Rex","categoryId":${categoryId}}`);
  expect([status, text]).toEqual(refusal(CATEGORY_ID));
});

test.each(['"5"', '"-5"', '"9223372036854775807"'])(
  'categoryId %s is 400, which says that it must be a number',
  async (categoryId) => {
    const { status, text } = await post('/v1/pets', `{"name":"Rex","categoryId":${categoryId}}`);
    expect([status, text]).toEqual(refusal(`${CATEGORY_ID}, as a JSON number`));
  },
);

test.each([
  ['of one character', 'a'],
  ['of 255 characters', 'a'.repeat(255)],
  ['of 255 characters beyond the basic plane', '🐈'.repeat(255)],
  ['with spaces around it', '  Rex \u00a0 '],
  ['of spaces alone', ' \t\r\n'],
  ['that is composed', '\u00c5ke'],
  ['that is decomposed', 'A\u030ake'],
  ['of emoji joined to one', '👩🏽‍🚀'],
  ['with a byte order mark', '\ufeffRex\ufeff'],
  ['with control and format characters', '\u0001\u001b\u007f\u0085\u200f\u2028\ufffe\uffff'],
  ['with a replacement character', '\ufffd'],
  ['with quotes and backslashes', `'";\\u0000 -- <b>&amp;%00`],
  ['from the last plane', '\u{10ffff}'],
  ['like a word of JavaScript', '__proto__'],
])('a name %s is kept as sent', async (_what, name) => {
  const added = await post('/v1/pets', { name, categoryId: 1 });
  expect(added.status).toBe(201);
  const fetched = await request(createdPath(added));
  expect(fetched.text).toBe(added.text);
  expect(fetched.json).toMatchObject({ name, categoryId: 1, status: 'available' });
});

test('a name in JSON escapes is the name that they spell', async () => {
  const added = await post('/v1/pets', '{"name":"\\ud83d\\ude00\\u0041\\/","categoryId":1}');
  expect(added.status).toBe(201);
  expect(added.json).toHaveProperty('name', '😀A/');
});

test.each([
  ['empty', '""'],
  ['of 256 characters', `"${'a'.repeat(256)}"`],
  ['of 256 characters beyond the basic plane', `"${'🐈'.repeat(256)}"`],
  ['of 128 emoji of two characters each', `"${'👍🏽'.repeat(128)}"`],
  ['with NUL', '"Re\\u0000x"'],
  ['with a lone high surrogate', '"Rex\\ud800"'],
  ['with a lone low surrogate', '"\\udc00Rex"'],
  ['with surrogates the wrong way round', '"\\udc00\\ud800"'],
  ['null', 'null'],
  ['an integer', '5'],
  ['a big integer', '9223372036854775807'],
  ['a fraction', '5.5'],
  ['a boolean', 'true'],
  ['an array', '["Rex"]'],
  ['an object', '{"name":"Rex"}'],
])('a name that is %s is 400', async (_what, name) => {
  const { status, text } = await post('/v1/pets', `{"name":${name},"categoryId":1}`);
  expect([status, text]).toEqual(refusal(NAME));
});

test.each([
  '" sold"',
  ...'null "" "lost" "Sold" "__proto__" "\\ud800" 0 true ["sold"] {} 9223372036854775807'.split(
    ' ',
  ),
])('status %s of a new animal is 400', async (status) => {
  const body = `{"name":"Rex","categoryId":1,"status":${status}}`;
  const answer = await post('/v1/pets', body);
  expect([answer.status, answer.text]).toEqual(refusal(STATUS));
});

test.each([
  [
    '{"name":null,"categoryId":"5","status":null}',
    `${NAME}; ${CATEGORY_ID}, as a JSON number; ${STATUS}`,
  ],
  ['{"status":"lost","categoryId":5.5,"name":""}', `${NAME}; ${CATEGORY_ID}; ${STATUS}`],
  ['{"name":"","categoryId":9223372036854775808}', `${NAME}; ${CATEGORY_ID}`],
  ['{"name":"\\u0000","categoryId":1,"status":"lost"}', `${NAME}; ${STATUS}`],
])('every fault of %s is told', async (body, message) => {
  const { status, text } = await post('/v1/pets', body);
  expect([status, text]).toEqual(refusal(message));
});

test('extra members are ignored, whatever they are called', async () => {
  const added = await post(
    '/v1/pets',
    `{"id":0,"colour":"red","limit":0,"input":{},"name":"Rex","categoryId":1,"toString":null,
      "__proto__":{"status":"sold"},"constructor":{"prototype":{"status":"sold"}},"Status":"lost"}`,
  );
  const id = createdPath(added).replace('/v1/pets/', '');
  expect([added.status, added.text]).toEqual([201, restAnimal({ id })]);
  expect(id).toMatch(/^[1-9]\d*$/);
});

test('members are not looked for in __proto__', async () => {
  const { status, text } = await post('/v1/pets', '{"__proto__":{"name":"Rex","categoryId":1}}');
  expect([status, text]).toEqual(refusal(`${NAME}; ${CATEGORY_ID}`));
});

test.each(['null', '5', '9223372036854775807', 'true', '"Rex"', '[]', '[{"name":"Rex"}]'])(
  'the body %s is 400: it is no object',
  async (body) => {
    const { status, text } = await post('/v1/pets', body);
    expect([status, text]).toEqual(refusal('The body must be a JSON object'));
  },
);
