import { expect, test } from 'vitest';
import { restAnimal } from '../support/animals.ts';
import { errorBody } from '../support/error-body.ts';
import { startGateway } from '../support/gateway.ts';
import { createdPath } from '../support/created-path.ts';

const NAME = 'name must be a string of 1 to 255 characters, without NUL or unpaired surrogates';
const CATEGORY_ID =
  'categoryId must be an integer between -9223372036854775808 and 9223372036854775807';

const { post } = await startGateway();

const refusal = (message: string) => [400, errorBody(400, 'BAD_USER_INPUT', message)];

test.each(['"5"', '"-5"', '"9223372036854775807"'])(
  'categoryId %s is 400, which says that it must be a number',
  async (categoryId) => {
    const { status, text } = await post('/v1/pets', `{"name":"Rex","categoryId":${categoryId}}`);
    expect([status, text]).toEqual(refusal(`${CATEGORY_ID}, as a JSON number`));
  },
);

test('a name in JSON escapes is the name that they spell', async () => {
  const added = await post('/v1/pets', '{"name":"\\ud83d\\ude00\\u0041\\/","categoryId":1}');
  expect(added.status).toBe(201);
  expect(added.json).toHaveProperty('name', '😀A/');
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
