import type { InputFieldMap } from '@pothos/core';
import { printSchema, type GraphQLSchema } from 'graphql';
import { expect, test } from 'vitest';
import { text } from '@store-gateway/graphql';
import { libraryBuilder, type LibraryBuilder } from '../../../test/support/library.ts';

type InputBuilder = Parameters<Parameters<LibraryBuilder['createField']>[1]['input']>[0];

/** What rows that can be changed need of `resources`. */
const CHANGEABLE = { asRead: () => ({}), versionKey: () => 'secret' };

/** Gives authors a field that changes them, and builds the schema. */
function build(
  builder: LibraryBuilder,
  input: { required?: true; defaultValue?: string },
  replaces = false,
): GraphQLSchema {
  const Author = builder.prismaObject('Author', {
    resource: { plural: 'authors' },
    fields: (t) => ({ id: t.exposeID('id') }),
  });
  builder.queryType({ fields: (t) => ({ none: t.boolean({ resolve: () => true }) }) });
  builder.mutationType({});
  builder.updateField(Author, {
    replaces,
    input: (t) => ({ name: t.string({ ...input, rule: text(1, 255) }) }),
    find: (query, { database }) => database.author.findUnique(query),
    update: (query, { database }) => database.author.update(query),
  });
  return builder.toSchema();
}

test.each([
  ['without asRead', { asRead: undefined }, {}],
  ['without the model', { models: {} }, {}],
  ['without violations', {}, { violations: undefined }],
] as const)('the start is refused if rows can be changed %s', (_what, changed, options) => {
  const builder = libraryBuilder();
  Object.assign(builder.options, options);
  Object.assign(builder.options.resources ?? {}, CHANGEABLE, changed);
  expect(() => {
    build(builder, {});
  }).toThrow(
    "Author can't be changed: the builder needs the options violations and resources.asRead",
  );
});

test.each([
  ['is required', { required: true }],
  ['has a default', { defaultValue: 'nobody' }],
] as const)('the start is refused if an input of a change %s', (_what, input) => {
  const builder = libraryBuilder();
  Object.assign(builder.options.resources ?? {}, CHANGEABLE);
  expect(() => {
    build(builder, input);
  }).toThrow('UpdateAuthorInput.name must be optional and have no default');
});

test('the start is refused if the input of a replacement has optional members without defaults', () => {
  const builders = [libraryBuilder(), libraryBuilder(), libraryBuilder()] as const;
  for (const { options } of builders) {
    Object.assign(options.resources ?? {}, CHANGEABLE);
  }
  expect(() => {
    build(builders[0], {}, true);
  }).toThrow('ReplaceAuthorInput.name must be required or have a default');
  const schema = build(builders[1], { required: true }, true);
  expect(schema.getMutationType()?.getFields()['replaceAuthor']).toBeDefined();
  const filled = build(builders[2], { defaultValue: 'nobody' }, true);
  expect(printSchema(filled)).toContain('name: String = "nobody"');
});

/** What the start says of a field that adds authors by this input. */
function refusalOf(input: (t: InputBuilder) => InputFieldMap): string {
  const builder = libraryBuilder();
  const Author = builder.prismaObject('Author', {
    resource: { plural: 'authors' },
    fields: (t) => ({ id: t.exposeID('id') }),
  });
  builder.queryType({ fields: (t) => ({ none: t.boolean({ resolve: () => true }) }) });
  builder.mutationType({});
  builder.createField(Author, { input, create: () => Promise.reject(new Error('not called')) });
  try {
    builder.toSchema();
  } catch (error) {
    return error instanceof Error ? error.message : '';
  }
  return 'nothing';
}

test('the start is refused if an input does not fit its column', () => {
  const rule = text(1, 9);
  expect(refusalOf((t) => ({ name: t.string({ rule }) }))).toBe('nothing');
  expect(refusalOf((t) => ({ nome: t.string({ rule }) }))).toBe(
    'NewAuthor.nome is not a field of the model Author: rename it, or write the mutation with mutationField',
  );
  expect(refusalOf((t) => ({ id: t.string({ rule }) }))).toBe(
    'NewAuthor.id is String, but the column Author.id stores Int',
  );
  expect(refusalOf((t) => ({ name: t.stringList({ rule }) }))).toBe(
    'NewAuthor.name is [String], but the column Author.name stores String',
  );
});
