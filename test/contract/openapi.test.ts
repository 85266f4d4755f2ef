import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { errorBody } from '../support/error-body.ts';
import { startGateway } from '../support/gateway.ts';
import { nodeRequest } from '../support/node-request.ts';
import { at, document, object, operations } from '../support/openapi.ts';

const { url, request } = await startGateway();
const committed = await readFile(new URL('../../openapi.json', import.meta.url), 'utf8');

test('openapi.json is what the service serves: `npm run openapi` writes it', async () => {
  const { status, text, headers } = await request('/v1/openapi.json');
  expect([status, text]).toEqual([200, committed]);
  expect(headers.get('Content-Type')).toBe('application/json; charset=utf-8');
});

test.each(['1.1', '1.2'] as const)(
  'the YAML says the same to a reader of YAML %s',
  async (version) => {
    const { status, text, headers } = await request('/v1/openapi.yaml');
    expect([status, parse(text, { version })]).toEqual([200, document]);
    expect(headers.get('Content-Type')).toBe('application/yaml');
    expect(text).not.toMatch(/[&*]a\d/);
  },
);

test.each(['/v1/openapi.json', '/v1/openapi.yaml'])(
  '%s needs no key, and is sent once',
  async (path) => {
    const { status, headers } = await fetch(url + path);
    expect(status).toBe(200);
    expect(headers.get('ETag')).toMatch(/^"[^"]+"$/);
    expect(headers.get('Cache-Control')).toBe('public, no-cache');
    const again = await nodeRequest({ url, key: '' }, path, {
      headers: { 'If-None-Match': headers.get('ETag') ?? '', 'Accept-Encoding': 'gzip' },
    });
    expect([again.status, again.text]).toEqual([304, '']);
  },
);

test.each(['/v1/openapi.json', '/v1/openapi.yaml'])('%s is to be read, no more', async (path) => {
  const head = await request(path, { method: 'HEAD' });
  expect([head.status, head.text]).toEqual([200, '']);
  for (const method of ['POST', 'PUT', 'DELETE']) {
    const { status, text, headers } = await nodeRequest({ url, key: '' }, path, { method });
    expect([status, text, headers.get('Allow')]).toEqual([
      405,
      errorBody(405, 'METHOD_NOT_ALLOWED', 'This address accepts GET, HEAD, OPTIONS'),
      'GET, HEAD, OPTIONS',
    ]);
  }
});

const LIST = ['paths', '/pets', 'get'];
const CREATE = ['paths', '/pets', 'post'];
const GET = ['paths', '/pets/{petId}', 'get'];
const JSON_BODY = ['content', 'application/json', 'schema'];
const SCHEMAS = ['components', 'schemas'];
const NEW_PET = [...SCHEMAS, 'NewPet', 'properties'];
const PET = [...SCHEMAS, 'Pet', 'properties'];
const ERROR = [...SCHEMAS, 'Error', 'properties'];
const STATUSES = ['available', 'pending', 'sold'];

/** Where a parameter of the list is described. */
function parameter(wanted: string): (string | number)[] {
  const names = [at(...LIST, 'parameters')].flat().map((each) => object(each)['name']);
  return [...LIST, 'parameters', names.indexOf(wanted)];
}
const LIMIT = parameter('limit');
const STATUS = parameter('status');
const AFTER = parameter('after');

test.each<[(string | number)[], unknown]>([
  [['openapi'], '3.1.1'],
  [['info', 'title'], 'Animal Store Gateway'],
  [['info', 'version'], '1.0.0'],
  [['info', 'license'], { name: 'MIT', identifier: 'MIT' }],
  [['info', 'contact', 'name'], 'The founders of Animal Store Gateway'],
  [['servers', 0, 'url'], '../v1'],
  [['tags', 0, 'name'], 'animals'],
  [['security'], [{ bearerAuth: [] }]],
  [['components', 'securitySchemes', 'bearerAuth', 'type'], 'http'],
  [['components', 'securitySchemes', 'bearerAuth', 'scheme'], 'bearer'],
  [[...SCHEMAS, 'PetStatus', 'type'], 'string'],
  [[...SCHEMAS, 'PetStatus', 'enum'], STATUSES],
  [
    [...SCHEMAS, 'NewPet', 'required'],
    ['name', 'categoryId'],
  ],
  [[...SCHEMAS, 'NewPet', 'additionalProperties'], undefined],
  [[...NEW_PET, 'name', 'type'], 'string'],
  [[...NEW_PET, 'name', 'minLength'], 1],
  [[...NEW_PET, 'name', 'maxLength'], 255],
  [[...NEW_PET, 'categoryId', 'type'], 'integer'],
  [[...NEW_PET, 'categoryId', 'format'], 'int64'],
  [[...NEW_PET, 'status', 'allOf', 0, 'enum'], STATUSES],
  [[...NEW_PET, 'status', 'description'], 'Availability of the animal. By default `available`.'],
  [[...SCHEMAS, 'Pet', 'required'], expect.arrayContaining(['id', 'name', 'categoryId', 'status'])],
  [[...PET, 'id', 'type'], 'integer'],
  [[...PET, 'id', 'format'], 'int64'],
  [[...PET, 'id', 'minimum'], 1],
  [[...PET, 'name', 'type'], 'string'],
  [[...PET, 'categoryId', 'type'], 'integer'],
  [[...PET, 'categoryId', 'format'], 'int64'],
  [[...PET, 'status', 'enum'], STATUSES],
  [[...SCHEMAS, 'Pets', 'type'], 'array'],
  [[...SCHEMAS, 'Pets', 'maxItems'], 100],
  [[...SCHEMAS, 'Pets', 'items'], at(...SCHEMAS, 'Pet')],
  [
    [...SCHEMAS, 'Error', 'required'],
    ['code', 'message', 'status'],
  ],
  [[...ERROR, 'code', 'type'], 'string'],
  [[...ERROR, 'message', 'type'], 'string'],
  [[...ERROR, 'status', 'type'], 'integer'],
  [[...ERROR, 'status', 'minimum'], 400],
  [[...ERROR, 'status', 'maximum'], 599],
  [[...LIST, 'operationId'], 'listPets'],
  [[...LIST, 'summary'], 'List all animals'],
  [[...LIST, 'tags'], ['animals']],
  [[...LIST, 'deprecated'], undefined],
  [[...LIMIT, 'in'], 'query'],
  [[...STATUS, 'in'], 'query'],
  [[...AFTER, 'in'], 'query'],
  [[...AFTER, 'required'], false],
  [[...LIMIT, 'required'], false],
  [[...LIMIT, 'schema', 'type'], 'integer'],
  [[...LIMIT, 'schema', 'minimum'], 1],
  [[...LIMIT, 'schema', 'maximum'], 100],
  [[...LIMIT, 'schema', 'default'], 20],
  [[...STATUS, 'required'], false],
  [[...STATUS, 'schema', 'enum'], STATUSES],
  [[...STATUS, 'schema', 'default'], undefined],
  [[...AFTER, 'schema', 'format'], 'int64'],
  [[...LIST, 'requestBody'], undefined],
  [[...LIST, 'responses', '200', ...JSON_BODY], at(...SCHEMAS, 'Pets')],
  [[...LIST, 'responses', '401', 'description'], 'Missing or invalid API key.'],
  [[...CREATE, 'operationId'], 'createPet'],
  [[...CREATE, 'summary'], 'Add an animal'],
  [[...CREATE, 'tags'], ['animals']],
  [[...CREATE, 'deprecated'], undefined],
  [[...CREATE, 'parameters', 0, 'name'], 'Idempotency-Key'],
  [[...CREATE, 'parameters', 0, 'in'], 'header'],
  [[...CREATE, 'parameters', 0, 'required'], undefined],
  [[...CREATE, 'parameters', 1, 'name'], 'Prefer'],
  [[...CREATE, 'parameters', 2], undefined],
  [[...CREATE, 'requestBody', 'required'], true],
  [[...CREATE, 'requestBody', ...JSON_BODY], at(...SCHEMAS, 'NewPet')],
  [[...CREATE, 'responses', '201', ...JSON_BODY], at(...SCHEMAS, 'Pet')],
  [
    [...CREATE, 'responses', '400', 'description'],
    'The request body is missing required fields or contains invalid values.',
  ],
  [[...CREATE, 'responses', '401', 'description'], 'Missing or invalid API key.'],
  [[...GET, 'operationId'], 'getPet'],
  [[...GET, 'summary'], 'Get an animal'],
  [[...GET, 'tags'], ['animals']],
  [[...GET, 'deprecated'], true],
  [[...GET, 'x-sunset'], '2030-12-05'],
  [[...GET, 'x-deprecated-sunset'], '2030-12-05'],
  [[...GET, 'parameters', 0, 'name'], 'petId'],
  [[...GET, 'parameters', 0, 'in'], 'path'],
  [[...GET, 'parameters', 0, 'required'], true],
  [[...GET, 'parameters', 0, 'schema', 'type'], 'integer'],
  [[...GET, 'parameters', 0, 'schema', 'format'], 'int64'],
  [[...GET, 'requestBody'], undefined],
  [[...GET, 'responses', '200', ...JSON_BODY], at(...SCHEMAS, 'Pet')],
  [[...GET, 'responses', '401', 'description'], 'Missing or invalid API key.'],
  [[...GET, 'responses', '404', 'description'], 'The requested resource could not be found.'],
])('the contract: %j is %j', (path, fact) => {
  expect(at(...path)).toEqual(fact);
});

test('the description tells until when an operation is there, since when that is known, and what serves instead', () => {
  expect(at(...GET, 'description')).toBe(
    'Fetches one animal by its identifier.\n\nDeprecated since 21 November 2026. To be removed on 5 December 2030. Use the list of animals with a status filter or ids instead: `GET /pets?id=42` or `GET /pets?status=available`.',
  );
});

const tags = [at('tags')].flat().map((tag) => object(tag)['name']);

test('headers and errors are described once: all else refers to them', () => {
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
  '$id: tag, stability, security, and Error for all that goes wrong',
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
