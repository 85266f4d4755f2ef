import { isObjectType, type GraphQLSchema } from 'graphql';
import { expect, test } from 'vitest';
import { named, type Deprecation } from '@store-gateway/graphql';
import { announcerOf, successorsOf } from '../src/deprecation.ts';
import { PAGE_INFO } from '../src/rest.ts';
import { createEndpoints, type EndpointOptions } from '../src/endpoints.ts';
import { library, librarySchema, ROUTES } from './library.ts';

const deprecation: Deprecation = {
  since: '2026-11-25',
  removal: '2031-01-01',
  replacement: { inWords: 'something else' },
};

/** The schema with a deprecation on these fields, each given as a type and a name. */
function deprecating(of: string, ...fields: readonly (readonly [string, string])[]): GraphQLSchema {
  const schema = librarySchema();
  for (const [type, field] of fields) {
    const parent = schema.getType(type);
    const { extensions } = (isObjectType(parent) && parent.getFields()[field]) || {};
    Object.assign(extensions ?? {}, { deprecation: named(deprecation, of, of) });
  }
  return schema;
}

/** The deprecation that ends each route, if there is one. */
function endsOf(schema: GraphQLSchema) {
  return library(ROUTES, schema).routes.map(({ deprecations: { end } }) => end?.of);
}

const options: EndpointOptions<string> = {
  documentation: '/docs',
  admit: () => Promise.resolve({ caller: 'me', waited: 0, turn: () => Promise.resolve() }),
  execute: () => Promise.resolve({ data: {} }),
};

test('a route is removed with the type that it represents, but not with the type of a member', () => {
  const ofEntry = deprecating('Entry', ['EntryConnection', 'nodes'], ['Query', 'entry']);
  const ofAuthor = deprecating('Author', ['Entry', 'authors']);
  expect(endsOf(ofEntry)).toEqual(['Entry', undefined, 'Entry']);
  expect(endsOf(ofAuthor)).toEqual([undefined, undefined, undefined]);
});

test('a route whose representation would become empty after a removal is rejected at startup', () => {
  const schema = deprecating('Author', ['Author', 'id'], ['Author', 'name']);
  expect(() => library(ROUTES, schema)).toThrow(
    'The REST route listEntries would not select any field of Author after its deprecated fields are removed',
  );
});

test('the successor of a deprecated field is the route whose path needs no values', () => {
  const heavy = {
    method: 'get',
    path: '/weights/:minimumWeight/entries',
    summary: 'List heavy books',
    document: `query listHeavyEntries($minimumWeight: Float!) {
      entriesConnection(minimumWeight: $minimumWeight) { nodes { id } ${PAGE_INFO} }
    }`,
    status: 200,
  } as const;
  const replacement = { inWords: 'the list', fields: ['entriesConnection'] } as const;
  const old = named({ ...deprecation, replacement }, 'Entry.pages', 'pages');
  expect(successorsOf(library([heavy, ...ROUTES]), old)).toEqual(['/entries']);
});

/** The `Link` header in responses to GET /entries/{id}, if ids have this JSON schema. */
function linkOf(id: string, jsonSchema: Readonly<Record<string, string>>): string | undefined {
  const schema = librarySchema();
  const field = schema.getQueryType()?.getFields()['entry'];
  const replacement = {
    inWords: 'the list',
    fields: ['entriesConnection'],
    arguments: [{ after: { argument: 'id', example: '42' } }, { isLent: 'true' }],
  } as const;
  const mark = named({ ...deprecation, replacement }, 'entry', 'entry');
  Object.assign(field?.extensions ?? {}, { deprecation: mark });
  Object.assign(field?.args[0]?.extensions ?? {}, { jsonSchema });
  const rest = library(ROUTES, schema);
  const route = rest.routes.find(({ operation }) => operation.name === 'getEntry');
  const [stage] = route?.stages ?? [];
  return (
    route && stage && announcerOf(rest, route, {}).always(stage.operation, { entryId: id })?.Link
  );
}

const INT64 = { type: 'integer', format: 'int64' };
const TEXT = { type: 'string' };

test.each([
  ['42', INT64, 'after=42'],
  ['ck9x_4-Z', INT64, 'isLent=true'],
  ['ck9x_4-Z', TEXT, 'after=ck9x_4-Z'],
  ['0194f3c2-7c1e-4b6a-9d52-3f8a6c0e1b47', TEXT, 'after=0194f3c2-7c1e-4b6a-9d52-3f8a6c0e1b47'],
  [`asg_${'K'.repeat(49)}`, TEXT, 'isLent=true'],
  ['a"b', TEXT, 'isLent=true'],
])('the Link header for the id %s with the schema %o contains %s', (id, jsonSchema, query) => {
  expect(linkOf(id, jsonSchema)).toBe(`<../entries?${query}>; rel="successor-version"`);
});

test('a replacement that no route serves is rejected at startup', () => {
  const [list] = ROUTES;
  const replacement = { inWords: 'shelves', fields: ['shelves'] } as const;
  const rest = library(list && [{ ...list, deprecation: { ...deprecation, replacement } }]);
  expect(() => createEndpoints(rest, options)).toThrow(
    'No REST route replaces GET /v2/entries: no route uses the field shelves. Set replacement.fields to a field that has a route, such as entriesConnection, or omit it',
  );
});
