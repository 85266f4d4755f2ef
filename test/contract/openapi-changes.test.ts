import { expect, test } from 'vitest';
import { startChangedAnimals } from '../support/changed-animals.ts';
import { contractOf } from '../support/openapi.ts';

/* The OpenAPI document of a store whose routes have all methods. */

const { request } = await startChangedAnimals();
const { json } = await request('/v1/openapi.json');
const { at, operations } = contractOf(json);

const ONE = ['paths', '/pets/{petId}'];
const ERROR = ['content', 'application/json', 'examples'];

test.each<[path: readonly (string | number)[], fact: unknown]>([
  [
    [...ONE, 'patch', 'requestBody', 'content'],
    {
      'application/merge-patch+json': {
        schema: { $ref: '#/components/schemas/PetChange' },
        example: { name: 'Rex', categoryId: 7, status: 'available' },
      },
    },
  ],
  [[...ONE, 'patch', 'requestBody', 'required'], true],
  [['components', 'schemas', 'PetChange', 'required'], []],
  [
    ['components', 'schemas', 'PetChange', 'properties', 'categoryId', 'anyOf'],
    [{ type: 'integer', format: 'int64' }, { type: 'null' }],
  ],
  [
    [...ONE, 'put', 'requestBody', 'content', 'application/json', 'schema', 'required'],
    ['name', 'categoryId'],
  ],
  [[...ONE, 'delete', 'requestBody'], undefined],
  [[...ONE, 'delete', 'responses', 204, 'description'], 'Success, without content.'],
  [[...ONE, 'delete', 'responses', 204, 'content'], undefined],
  [[...ONE, 'delete', 'responses', 200], undefined],
  [[...ONE, 'delete', 'responses', 406], undefined],
  [['paths', '/pets/{petId}/sale', 'post', 'responses', 202, 'description'], 'Accepted.'],
  [[...ONE, 'patch', 'x-stability'], 'beta'],
  [[...ONE, 'put', 'x-stability'], 'stable'],
  [[...ONE, 'put', 'responses', 200, 'headers', 'ETag'], undefined],
  [[...ONE, 'get', 'responses', 200, 'headers', 'ETag'], at('components', 'headers', 'ETag')],
  [[...ONE, 'patch', 'responses', 200, 'headers', 'ETag'], at('components', 'headers', 'ETag')],
  [
    [...ONE, 'put', 'responses', 415, ...ERROR, 'UNSUPPORTED_MEDIA_TYPE', 'value', 'message'],
    expect.stringMatching(/^(?!.*merge-patch).*application\/json/),
  ],
  [
    [...ONE, 'patch', 'responses', 415, ...ERROR, 'UNSUPPORTED_MEDIA_TYPE', 'value', 'message'],
    expect.stringContaining('application/merge-patch+json'),
  ],
  [
    [...ONE, 'patch', 'responses', 415, 'headers', 'Accept-Patch', 'example'],
    'application/merge-patch+json, application/json',
  ],
  [
    [...ONE, 'patch', 'responses', 400, ...ERROR, 'missing', 'value', 'message'],
    'The body is missing',
  ],
  [
    [...ONE, 'delete', 'responses', 400, ...ERROR, 'ifMatch', 'value', 'message'],
    'If-Match must be * or entity tags such as "abc"',
  ],
  [[...ONE, 'delete', 'responses', 412, ...ERROR, 'PRECONDITION_FAILED', 'value', 'status'], 412],
  [[...ONE, 'put', 'responses', 428, ...ERROR, 'PRECONDITION_REQUIRED', 'value', 'status'], 428],
  [[...ONE, 'patch', 'responses', 428], undefined],
  [['paths', '/pets', 'post', 'responses', 412], undefined],
])(
  'the OpenAPI document of a store with all methods has the expected value at %j',
  (path, fact) => {
    expect(at(...path)).toEqual(fact);
  },
);

test.each([
  ['PATCH', undefined],
  ['PUT', true],
  ['DELETE', undefined],
])(
  'the %s operation has the parameter If-Match, which is required if the argument expected is required',
  (method, isRequired) => {
    const { parameters = [] } =
      operations.find((each) => each.method === method && each.path === '/v1/pets/{petId}') ?? {};
    const ifMatch = parameters.find(({ name }) => name === 'If-Match');
    expect([ifMatch?.['in'], ifMatch?.['required']]).toEqual(['header', isRequired]);
  },
);

test('/docs shows all methods, media types and preconditions of the store', async () => {
  const page = await request('/docs', { headers: { Accept: 'text/html' } });
  expect(page.status).toBe(200);
  for (const part of 'PATCH DELETE PUT application/merge-patch+json If-Match 428'.split(' ')) {
    expect(page.text).toContain(part);
  }
});
