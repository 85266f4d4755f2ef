import type { InputFieldMap } from '@pothos/core';
import { printSchema, type GraphQLSchema } from 'graphql';
import { expect, test } from 'vitest';
import { text } from '@store-gateway/graphql';
import { libraryBuilder, type LibraryBuilder } from '../../../test/support/library.ts';

type InputBuilder = Parameters<Parameters<LibraryBuilder['createField']>[1]['input']>[0];

interface Authors {
  readonly options?: object;
  readonly resources?: object;
  readonly input?: { required?: true; defaultValue?: string };
  readonly replaces?: boolean;
}

function authorsBuilder({ options = {}, resources = {} }: Authors = {}) {
  const builder = libraryBuilder();
  Object.assign(builder.options, options);
  const changeable = { asRead: () => ({}), versionKey: () => 'secret' };
  Object.assign(builder.options.resources ?? {}, changeable, resources);
  const Author = builder.prismaObject('Author', {
    resource: { plural: 'authors' },
    fields: (t) => ({ id: t.exposeID('id') }),
  });
  builder.queryType({ fields: (t) => ({ none: t.boolean({ resolve: () => true }) }) });
  builder.mutationType({});
  return { builder, Author };
}

/** A schema with a field that changes authors. */
function changing(authors: Authors): GraphQLSchema {
  const { builder, Author } = authorsBuilder(authors);
  builder.updateField(Author, {
    replaces: authors.replaces ?? false,
    input: (t) => ({ name: t.string({ ...authors.input, rule: text(1, 255) }) }),
    find: (query, { database }) => database.author.findUnique(query),
    update: (query, { database }) => database.author.update(query),
  });
  return builder.toSchema();
}

test.each<[string, Authors]>([
  ['without asRead', { resources: { asRead: undefined } }],
  ['without the model', { resources: { models: {} } }],
  ['without violations', { options: { violations: undefined } }],
])('a schema with updateField cannot be built %s', (_what, authors) => {
  expect(() => changing(authors)).toThrow(
    "Author can't be changed: the builder needs the options violations and resources.asRead",
  );
});

const REQUIRED = { required: true } as const;
const FILLED = { defaultValue: 'nobody' };

test('update inputs must be optional without a default; replacement inputs must be required or have a default', () => {
  for (const input of [REQUIRED, FILLED]) {
    expect(() => changing({ input })).toThrow(
      'UpdateAuthorInput.name must be optional and have no default',
    );
    const schema = changing({ input, replaces: true });
    expect(schema.getMutationType()?.getFields()['replaceAuthor']).toBeDefined();
  }
  expect(printSchema(changing({ input: FILLED, replaces: true }))).toContain(
    'name: String = "nobody"',
  );
  expect(() => changing({ replaces: true })).toThrow(
    'ReplaceAuthorInput.name must be required or have a default',
  );
});

/** A schema with a field that creates authors from this input. */
function adding(input: (t: InputBuilder) => InputFieldMap): GraphQLSchema {
  const { builder, Author } = authorsBuilder();
  builder.createField(Author, { input, create: () => Promise.reject(new Error('not called')) });
  return builder.toSchema();
}

test('the schema cannot be built if an input does not match a column of the model', () => {
  const rule = text(1, 9);
  expect(adding((t) => ({ name: t.string({ rule }) }))).toBeDefined();
  expect(() => adding((t) => ({ nome: t.string({ rule }) }))).toThrow(
    'NewAuthor.nome is not a field of the model Author: rename it, or write the mutation with mutationField',
  );
  expect(() => adding((t) => ({ id: t.string({ rule }) }))).toThrow(
    'NewAuthor.id is String, but the column Author.id stores Int',
  );
  expect(() => adding((t) => ({ name: t.stringList({ rule }) }))).toThrow(
    'NewAuthor.name is [String], but the column Author.name stores String',
  );
});
