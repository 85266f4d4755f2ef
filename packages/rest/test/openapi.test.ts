import { expect, test } from 'vitest';
import { isJsonObject } from '@store-gateway/ops';
import { printJson } from '../src/endpoints.ts';
import { library, librarySchema } from './library.ts';

async function at(...path: readonly (string | number)[]): Promise<unknown> {
  let value: unknown = JSON.parse(await printJson(library()));
  for (const key of path) {
    value = isJsonObject(value) || Array.isArray(value) ? Reflect.get(value, key) : undefined;
  }
  return value;
}

const NEW_ENTRY = ['components', 'schemas', 'NewEntry'];
const JSON_BODY = ['content', 'application/json'];

test.each<[path: readonly (string | number)[], fact: unknown]>([
  [['tags'], [{ name: 'books', description: 'All books.' }]],
  [['paths', '/entries', 'get', 'tags'], ['books']],
  [
    ['components', 'schemas', 'Entry', 'properties', 'pages'],
    {
      anyOf: [{ type: 'integer', format: 'int32' }, { type: 'null' }],
      description: 'How many pages it has, if that is known.',
      examples: [730],
    },
  ],
  [
    [...NEW_ENTRY, 'properties', 'seriesId', 'anyOf'],
    [{ type: 'integer', format: 'int64' }, { type: 'null' }],
  ],
  [[...NEW_ENTRY, 'properties', 'authorIds', 'items'], { type: 'integer', format: 'int64' }],
  // openapi-typescript would make a member required if its schema had a default itself.
  [
    [...NEW_ENTRY, 'properties', 'genre', 'allOf'],
    [{ $ref: '#/components/schemas/Genre', default: 'novel' }],
  ],
  // The example is declared only on the field of the type that is created.
  [[...NEW_ENTRY, 'properties', 'title', 'examples'], ['Ulysses']],
  [
    ['paths', '/entries/{entryId}', 'get', 'responses', 200, ...JSON_BODY, 'example', 'authors'],
    [{ id: 42, name: 'James Joyce' }],
  ],
  [
    [
      'components',
      'responses',
      'createEntry-Conflict',
      ...JSON_BODY,
      'examples',
      'NO_ROOM',
      'value',
    ],
    { code: 'NO_ROOM', message: 'There is no room for poems', status: 409 },
  ],
  [
    ['components', 'schemas', 'ErrorCode', 'x-enumDescriptions', 'NO_ROOM'],
    'All shelves are full.',
  ],
  [['paths', '/entries', 'get', 'responses', 409], undefined],
  [
    ['components', 'responses', 'Unauthorized', ...JSON_BODY, 'examples', 'noKey', 'value'],
    { code: 'UNAUTHENTICATED', message: 'Who are you?', status: 401 },
  ],
])('the value at %j in the OpenAPI document is derived from the schema', async (path, fact) => {
  expect(await at(...path)).toEqual(fact);
});

test('printing the OpenAPI document fails if neither a field nor its type has an example', async () => {
  const schema = librarySchema();
  const author = schema.getType('Author');
  const name = author && 'getFields' in author ? author.getFields()['name'] : undefined;
  Object.assign(name?.extensions ?? {}, { example: undefined });
  await expect(printJson(library(undefined, schema))).rejects.toThrow(
    'OpenAPI: name needs the option example (operation listEntries)',
  );
});
