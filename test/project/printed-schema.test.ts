import { schema } from '../support/store.ts';
import { readdir, readFile, stat } from 'node:fs/promises';
import {
  buildSchema,
  getIntrospectionQuery,
  introspectionFromSchema,
  parse,
  printSchema,
  visit,
} from 'graphql';
import { expect, test } from 'vitest';
import { isJsonObject } from '@store-gateway/ops';
import { graphqlErrorBody } from '../support/error-body.ts';
import { startGateway } from '../support/gateway.ts';
import { libraryBuilder } from '../support/library.ts';
import { printedSchema } from '../../packages/gateway/src/graphql/printed-schema.ts';

const root = new URL('../../', import.meta.url);
const printed = await readFile(new URL('schema.graphql', root), 'utf8');
const { request, graphql } = await startGateway();

test('schema.graphql is the printed schema: `npm run schema` writes it', () => {
  expect(printed).toBe(printedSchema(schema));
  // But for the scopes, which graphql-js doesn't print.
  const [, bare = ''] = printed.replaceAll(/ @requiresScopes\(.*?\)/g, '').split(/ENUM_VALUE\n\n/);
  expect(bare).toBe(`${printSchema(schema)}\n`);
});

test('introspection tells the same schema', async () => {
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

test("GraphiQL's page gets the same schema, with what queries and mutations need, without a key", async () => {
  const { text } = await request('/assets/introspection.json', { headers: { Authorization: '' } });
  const needs = /\\n\\nEach needs the scope (read|write)\./g;
  const scopes = new Set(Array.from(text.matchAll(needs), ([, scope]) => scope));
  expect(scopes).toEqual(new Set(['read', 'write']));
  expect(JSON.parse(text.replaceAll(needs, ''))).toEqual({ data: introspectionFromSchema(schema) });
});

test.each(['{ __schema { queryType { name } } }', '{ __type(name: "Pet") { name } }'])(
  'introspection needs the key, as everything does: %s',
  async (query) => {
    const { status, text } = await request('/graphql', {
      method: 'POST',
      headers: { Authorization: '', 'Content-Type': 'application/json' },
      body: JSON.stringify({ query }),
    });
    const message = 'An API key is required: Authorization: Bearer <API_KEY>';
    expect([status, text]).toEqual([401, graphqlErrorBody(401, 'UNAUTHENTICATED', message)]);
  },
);

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

test('pet alone is deprecated: its reason names the day of its removal, and the replacement', () => {
  expect(printed.match(/.*@deprecated.*/g)).toEqual([
    '  ): Pet @deprecated(reason: "To be removed on 5 December 2030. Use the list of animals with a status filter or ids instead: pets(ids: [42]) or petsConnection(ids: [42]) or pets(status: available) or petsConnection(status: available).")',
  ]);
});

test('the replacements that the reason names are operations', async () => {
  const { text } = await graphql(
    '{ pets(status: available) { id } petsConnection(status: available) { nodes { id } } }',
  );
  expect(text).toBe('{"data":{"pets":[],"petsConnection":{"nodes":[]}}}');
});

/** Folders of the packages called `name` that are anywhere in a folder of packages. */
async function copiesOf(name: string, packages: URL): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(packages, { withFileTypes: true }).catch(() => [])) {
    const folder = new URL(`${encodeURIComponent(entry.name)}/`, packages);
    // A copy of the project has links to what is installed.
    const isFolder = (await stat(folder).catch(() => undefined))?.isDirectory() === true;
    if (isFolder && entry.name.startsWith('@')) {
      found.push(...(await copiesOf(name, folder)));
    } else if (isFolder) {
      const text = await readFile(new URL('package.json', folder), 'utf8').catch(() => '{}');
      const manifest: unknown = JSON.parse(text);
      if (isJsonObject(manifest) && manifest['name'] === name) {
        found.push(folder.pathname);
      }
      found.push(...(await copiesOf(name, new URL('node_modules/', folder))));
    }
  }
  return found;
}

test('there is one copy of graphql-js', async () => {
  const packages = new URL('node_modules/', root);
  expect(await copiesOf('graphql', packages)).toEqual([new URL('graphql/', packages).pathname]);
});

test('a type of rows named Subscription is not printed as the root of subscriptions', () => {
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
