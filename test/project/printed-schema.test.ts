import { readFile } from 'node:fs/promises';
import {
  buildSchema,
  getIntrospectionQuery,
  introspectionFromSchema,
  parse,
  printSchema,
  visit,
} from 'graphql';
import { expect, test } from 'vitest';
import { schema, startGateway } from '../support/gateway.ts';
import { libraryBuilder } from '../support/library.ts';
import { printedSchema } from '../../packages/gateway/src/graphql/printed-schema.ts';

const root = new URL('../../', import.meta.url);
const printed = await readFile(new URL('schema.graphql', root), 'utf8');
const { request, graphql } = await startGateway();

test('schema.graphql is what `npm run schema` writes', () => {
  expect(printed).toBe(printedSchema(schema));
  // graphql-js does not print the scopes.
  const [, bare = ''] = printed.replaceAll(/ @requiresScopes\(.*?\)/g, '').split(/ENUM_VALUE\n\n/);
  expect(bare).toBe(`${printSchema(schema)}\n`);
});

test('introspection returns the schema in schema.graphql', async () => {
  const options = {
    specifiedByUrl: true,
    directiveIsRepeatable: true,
    schemaDescription: true,
    inputValueDeprecation: true,
    experimentalDirectiveDeprecation: true,
    oneOf: true,
  };
  const { json } = await graphql(getIntrospectionQuery(options));
  expect(json).toEqual({ data: introspectionFromSchema(schema, options) });
});

test('GraphiQL gets the same schema, including scopes, without a key', async () => {
  const { text } = await request('/assets/introspection.json', { headers: { Authorization: '' } });
  const needs = /\\n\\nEach needs the scope (read|write)\./g;
  const scopes = new Set(Array.from(text.matchAll(needs), ([, scope]) => scope));
  expect(scopes).toEqual(new Set(['read', 'write']));
  expect(JSON.parse(text.replaceAll(needs, ''))).toEqual({ data: introspectionFromSchema(schema) });
});

test('every type, field, argument, input field and enum value has a description', () => {
  const described: string[] = [];
  const undescribed: string[] = [];
  visit(parse(printed), {
    enter: (node) => {
      if ('description' in node && 'name' in node) {
        const { description, kind, name } = node;
        const list = description?.value.endsWith('.') ? described : undescribed;
        list.push(`${kind} ${name?.value ?? ''}`);
      }
    },
  });
  expect(undescribed).toEqual([]);
  expect(described).toEqual(
    expect.arrayContaining([
      'ObjectTypeDefinition Pet',
      'FieldDefinition pets',
      'InputValueDefinition limit',
      'InputObjectTypeDefinition NewPet',
      'InputValueDefinition categoryId',
      'EnumTypeDefinition PetStatus',
      'EnumValueDefinition sold',
    ]),
  );
});

test('only pet is deprecated, and its reason names the removal date and the replacement', () => {
  expect(printed.match(/.*@deprecated.*/g)).toEqual([
    '  ): Pet @deprecated(reason: "To be removed on 5 December 2030. Use the list of animals with a status filter or ids instead: pets(ids: [42]) or petsConnection(ids: [42]) or pets(status: available) or petsConnection(status: available).")',
  ]);
});

test('the replacements in the deprecation reason work', async () => {
  const { text } = await graphql(
    '{ pets(status: available) { id } petsConnection(status: available) { nodes { id } } }',
  );
  expect(text).toBe('{"data":{"pets":[],"petsConnection":{"nodes":[]}}}');
});

test('an object type named Subscription is not printed as the subscription root type', () => {
  const builder = libraryBuilder();
  const Subscription = builder.prismaObject('Author', {
    name: 'Subscription',
    resource: { plural: 'subscriptions' },
    fields: (t) => ({ id: t.exposeID('id') }),
  });
  builder.listField(Subscription, {
    find: (query, { database: { author } }) => author.findMany(query),
  });
  builder.queryType({});
  const library = builder.toSchema();
  expect(library.getSubscriptionType()).toBeUndefined();
  const read = buildSchema(printedSchema(library));
  expect(read.getSubscriptionType()).toBeUndefined();
  expect(read.getType('Subscription')).toBeDefined();
});
