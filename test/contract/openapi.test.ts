import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { startGateway } from '../support/gateway.ts';
import { at, document, object, operations } from '../support/openapi.ts';

const { request } = await startGateway();
const committed = await readFile(new URL('../../openapi.json', import.meta.url), 'utf8');

test('the service serves the same openapi.json that `npm run openapi` writes', async () => {
  const { status, text, headers } = await request('/v1/openapi.json');
  expect([status, text]).toEqual([200, committed]);
  expect(headers.get('Content-Type')).toBe('application/json; charset=utf-8');
});

test.each(['1.1', '1.2'] as const)(
  'openapi.yaml parsed as YAML %s equals openapi.json',
  async (version) => {
    const { status, text, headers } = await request('/v1/openapi.yaml');
    expect([status, parse(text, { version })]).toEqual([200, document]);
    expect(headers.get('Content-Type')).toBe('application/yaml');
    expect(text).not.toMatch(/[&*]a\d/);
  },
);

const LIST = ['paths', '/pets', 'get'];
const CREATE = ['paths', '/pets', 'post'];
const GET = ['paths', '/pets/{petId}', 'get'];
const JSON_BODY = ['content', 'application/json', 'schema'];
const SCHEMAS = ['components', 'schemas'];
const STATUSES = ['available', 'pending', 'sold'];
const INT64 = { type: 'integer', format: 'int64' };
const PET_STATUS = { $ref: '#/components/schemas/PetStatus' };
/** The operations in the specification, with their place in the document, name and summary. */
const OPERATIONS: readonly (readonly [path: string[], operationId: string, summary: string])[] = [
  [LIST, 'listPets', 'List all animals'],
  [CREATE, 'createPet', 'Add an animal'],
  [GET, 'getPet', 'Get an animal'],
];

/** Returns the place of a list parameter in the document. */
function parameter(wanted: string): (string | number)[] {
  const names = [at(...LIST, 'parameters')].flat().map((each) => object(each)['name']);
  return [...LIST, 'parameters', names.indexOf(wanted)];
}

test.each<[(string | number)[], object]>([
  ...OPERATIONS.flatMap(([path, operationId, summary]): [string[], object][] => [
    [path, { operationId, summary, tags: ['animals'] }],
    [[...path, 'responses', '401'], { description: 'Missing or invalid API key.' }],
  ]),
  [[], { openapi: '3.1.1', security: [{ bearerAuth: [] }] }],
  [['info'], { title: 'Animal Store Gateway', version: '1.0.0' }],
  [['info', 'license'], { name: 'MIT', identifier: 'MIT' }],
  [['info', 'contact'], { name: 'The founders of Animal Store Gateway' }],
  [['servers', 0], { url: '../v1' }],
  [['tags', 0], { name: 'animals' }],
  [['components', 'securitySchemes', 'bearerAuth'], { type: 'http', scheme: 'bearer' }],
  [[...SCHEMAS, 'PetStatus'], { type: 'string', enum: STATUSES }],
  [[...SCHEMAS, 'NewPet'], { required: ['name', 'categoryId'] }],
  [
    [...SCHEMAS, 'NewPet', 'properties'],
    {
      name: { type: 'string', minLength: 1, maxLength: 255 },
      categoryId: INT64,
      status: {
        allOf: [{ ...PET_STATUS, default: 'available' }],
        description: 'Availability of the animal. By default `available`.',
      },
    },
  ],
  [
    [...SCHEMAS, 'Pet'],
    { required: expect.arrayContaining(['id', 'name', 'categoryId', 'status']) as unknown },
  ],
  [
    [...SCHEMAS, 'Pet', 'properties'],
    {
      id: { ...INT64, minimum: 1 },
      name: { type: 'string' },
      categoryId: INT64,
      status: PET_STATUS,
    },
  ],
  [
    [...SCHEMAS, 'Pets'],
    { type: 'array', maxItems: 100, items: { $ref: '#/components/schemas/Pet' } },
  ],
  [[...SCHEMAS, 'Error'], { required: ['code', 'message', 'status'] }],
  [
    [...SCHEMAS, 'Error', 'properties'],
    {
      message: { type: 'string' },
      status: { type: 'integer', minimum: 400, maximum: 599 },
    },
  ],
  [[...SCHEMAS, 'Error', 'properties', 'code'], { type: 'string' }],
  [
    parameter('limit'),
    {
      in: 'query',
      required: false,
      schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
    },
  ],
  [parameter('status'), { in: 'query', required: false, schema: PET_STATUS }],
  [parameter('after'), { in: 'query', required: false, schema: INT64 }],
  [[...LIST, 'responses', '200', ...JSON_BODY], object(at(...SCHEMAS, 'Pets'))],
  [
    [...CREATE, 'parameters'],
    [
      { name: 'Idempotency-Key', in: 'header' },
      { name: 'Prefer', in: 'header' },
    ],
  ],
  [[...CREATE, 'requestBody'], { required: true }],
  [[...CREATE, 'requestBody', ...JSON_BODY], object(at(...SCHEMAS, 'NewPet'))],
  [[...CREATE, 'responses', '201', ...JSON_BODY], object(at(...SCHEMAS, 'Pet'))],
  [
    [...CREATE, 'responses', '400'],
    { description: 'The request body is missing required fields or contains invalid values.' },
  ],
  [
    GET,
    {
      deprecated: true,
      'x-sunset': '2030-12-05',
      'x-deprecated-sunset': '2030-12-05',
    },
  ],
  [[...GET, 'parameters', 0], { name: 'petId', in: 'path', required: true, schema: INT64 }],
  [[...GET, 'responses', '200', ...JSON_BODY], object(at(...SCHEMAS, 'Pet'))],
  [[...GET, 'responses', '404'], { description: 'The requested resource could not be found.' }],
])('the OpenAPI document matches the specification at %j', (path, facts) => {
  expect(at(...path)).toMatchObject(facts);
});

test.each<[(string | number)[]]>([
  [[...SCHEMAS, 'NewPet', 'additionalProperties']],
  [[...LIST, 'deprecated']],
  [[...LIST, 'requestBody']],
  [[...parameter('status'), 'schema', 'default']],
  [[...CREATE, 'deprecated']],
  [[...CREATE, 'parameters', 0, 'required']],
  [[...GET, 'requestBody']],
])('the OpenAPI document has nothing at %j', (path) => {
  expect(at(...path)).toBeUndefined();
});

test('a deprecated operation’s description names its deprecation date, removal date and replacement', () => {
  expect(at(...GET, 'description')).toBe(
    'Fetches one animal by its identifier.\n\nDeprecated since 21 November 2026. To be removed on 5 December 2030. Use the list of animals with a status filter or ids instead: `GET /pets?id=42` or `GET /pets?status=available`.',
  );
});

const tags = [at('tags')].flat().map((tag) => object(tag)['name']);

test('the OpenAPI document defines headers and errors once and references them everywhere else', () => {
  const { paths, components } = object(document);
  const responses = Object.values(object(paths))
    .flatMap((methods) => Object.values(object(methods)))
    .flatMap((operation) => Object.entries(object(object(operation)['responses'])));
  const errors = responses.filter(([status]) => Number(status) >= 400);
  expect(errors.map(([, error]) => Object.keys(object(error)))).toEqual(errors.map(() => ['$ref']));
  const all = [...responses, ...Object.entries(object(object(components)['responses']))];
  const headers = all.flatMap(([, response]) =>
    Object.values(object(object(response)['headers'] ?? {})),
  );
  expect(headers.map((header) => Object.keys(object(header)))).toEqual(headers.map(() => ['$ref']));
  expect(headers.length).toBeGreaterThan(errors.length);
});

test.each(operations)(
  'in OpenAPI, $id has a tag, a stability, scopes and the Error schema for all errors',
  ({ method, path, responses }) => {
    const here = ['paths', path.replace('/v1', ''), method.toLowerCase()];
    expect(tags).toEqual(expect.arrayContaining([at(...here, 'tags')].flat()));
    const isNew = method === 'PATCH' || method === 'DELETE';
    expect(at(...here, 'x-stability')).toBe(isNew ? 'beta' : 'stable');
    expect(at(...here, 'security')).toEqual([
      { bearerAuth: [method === 'GET' ? 'read' : 'write'] },
      ...(method === 'PATCH' ? [{ bearerAuth: ['write', 'read'] }] : []),
    ]);
    const errors = [...responses].filter(([status]) => status >= 400);
    const always = [401, 403, ...(responses.has(204) ? [] : [406]), 500, 503];
    expect(errors.map(([status]) => status)).toEqual(expect.arrayContaining(always));
    for (const [, { schema }] of errors) {
      expect(schema).toEqual({ $ref: '#/components/schemas/Error' });
    }
  },
);
