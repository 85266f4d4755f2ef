import SchemaBuilder from '@pothos/core';
import { graphql, printSchema, validateSchema } from 'graphql';
import { expect, test } from 'vitest';
import { RESOURCES } from '../src/resource-plugin.ts';
import { deprecationsIn } from '@store-gateway/graphql';

const deprecation = {
  since: '2026-11-21',
  removal: '2027-02-01',
  replacement: {
    inWords: 'the new one',
    fields: ['stable'],
    arguments: [{ first: '1', status: 'new' }],
  },
} as const;

function createBuilder() {
  return new SchemaBuilder<object>({
    plugins: [RESOURCES],
    // Required, but not used here.
    prisma: { client: { $connect: () => Promise.resolve() }, dmmf: { datamodel: { models: {} } } },
  });
}

const words = { since: '2026-11-21', removal: '2027-02-01', replacement: { inWords: 'words' } };

/** A schema with the types and fields that a test adds. */
function build(add: (builder: ReturnType<typeof createBuilder>) => void) {
  const builder = createBuilder();
  builder.queryType({ fields: (t) => ({ plain: t.boolean({ resolve: () => true }) }) });
  add(builder);
  return builder.toSchema({ sortSchema: false });
}

test('the description of a field contains its stability; its deprecation reason contains its removal date', () => {
  const schema = build((builder) => {
    builder.queryFields((t) => ({
      stable: t.boolean({
        description: 'Here to stay.',
        stability: 'stable',
        resolve: () => true,
      }),
      beta: t.boolean({ description: 'Being tried.', stability: 'beta', resolve: () => true }),
      experimental: t.boolean({ stability: 'experimental', resolve: () => true }),
      old: t.boolean({ deprecation, resolve: () => true }),
    }));
  });
  expect(printSchema(schema)).toBe(`type Query {
  plain: Boolean

  """Here to stay."""
  stable: Boolean

  """
  Being tried.
  
  Stability: beta.
  """
  beta: Boolean

  """Stability: experimental."""
  experimental: Boolean
  old: Boolean @deprecated(reason: "To be removed on 1 February 2027. Use the new one instead: stable(first: 1, status: new).")
}`);
});

test.each<[string, string, Parameters<typeof build>[0]]>([
  [
    'a required argument',
    "Query.things(size:) can't be deprecated, because it is required: make it optional or give it a default first",
    (builder) => {
      builder.queryField('things', (t) =>
        t.boolean({
          args: { size: t.arg.int({ required: true, deprecation: words }) },
          resolve: () => true,
        }),
      );
    },
  ],
  [
    'a required input field',
    "NewThing.size can't be deprecated, because it is required",
    (builder) => {
      builder.inputType('NewThing', {
        fields: (t) => ({ size: t.int({ required: true, deprecation: words }) }),
      });
    },
  ],
  [
    'an enum that an argument requires',
    "Size can't be deprecated while Query.things(size:) requires it: make Query.things(size:) optional, or deprecate Query.things",
    (builder) => {
      const Size = builder.enumType('Size', { values: ['small'], deprecation: words });
      builder.queryField('things', (t) =>
        t.boolean({ args: { size: t.arg({ type: Size, required: true }) }, resolve: () => true }),
      );
    },
  ],
  [
    'an enum that is required by a field with a later removal',
    "Size can't be deprecated while Query.things(size:) requires it",
    (builder) => {
      const Size = builder.enumType('Size', { values: ['small'], deprecation: words });
      builder.queryField('things', (t) =>
        t.boolean({
          deprecation: { ...words, removal: '2027-02-02' },
          args: { size: t.arg({ type: Size, required: true }) },
          resolve: () => true,
        }),
      );
    },
  ],
  [
    'an input type that a different input type requires',
    "Part can't be deprecated while Whole.parts requires it: make Whole.parts optional, or deprecate Whole",
    (builder) => {
      const Part = builder.inputType('Part', {
        deprecation: words,
        fields: (t) => ({ size: t.int() }),
      });
      builder.inputType('Whole', {
        fields: (t) => ({ parts: t.field({ type: [Part], required: true }) }),
      });
    },
  ],
  [
    'a removal before its announcement',
    'The deprecation of Size must have dates such as 2030-12-05 for since and removal, and removal must be later than since',
    (builder) => {
      builder.enumType('Size', {
        values: ['small'],
        deprecation: { ...words, removal: '2026-11-20' },
      });
    },
  ],
  [
    'a nonexistent date',
    'The deprecation of Size.small must have dates such as 2030-12-05',
    (builder) => {
      builder.enumType('Size', {
        values: { small: { deprecation: { ...words, removal: '2027-02-30' } } },
      });
    },
  ],
])('a schema with an invalid deprecation cannot be built: %s', (_what, message, add) => {
  expect(() => build(add)).toThrow(message);
});

test('a type that only deprecated fields require can be deprecated', () => {
  const schema = build((builder) => {
    const Size = builder.enumType('Size', { values: ['small'], deprecation: words });
    builder.queryField('things', (t) =>
      t.boolean({
        deprecation,
        args: { size: t.arg({ type: Size, required: true }) },
        resolve: () => true,
      }),
    );
  });
  expect(validateSchema(schema)).toEqual([]);
  expect(deprecationsIn(schema).map(({ of }) => of)).toEqual(['Size', 'things']);
});

test('a deprecated argument that several fields share is deprecated in each of these fields', () => {
  const schema = build((builder) => {
    const args = builder.args((t) => ({ size: t.int({ deprecation: words }) }));
    builder.queryField('one', (t) => t.boolean({ args, resolve: () => true }));
    builder.queryField('two', (t) => t.boolean({ args, resolve: () => true }));
  });
  expect(deprecationsIn(schema).map(({ of }) => of)).toEqual([
    'Query.one(size:)',
    'Query.two(size:)',
  ]);
});

const resolve = () => 'small' as const;

test('if both a field and its type are deprecated, the earlier removal applies', () => {
  const schema = build((builder) => {
    const size = { type: builder.enumType('Size', { values: ['small'], deprecation: words }) };
    const later = { ...words, removal: '2028-01-01' };
    const sooner = { ...words, removal: '2027-01-01' };
    builder.queryField('one', (t) => t.field({ ...size, deprecation: later, resolve }));
    builder.queryField('two', (t) => t.field({ ...size, deprecation: sooner, resolve }));
  });
  expect(deprecationsIn(schema).map(({ of, removal }) => [of, removal])).toEqual([
    ['Size', '2027-02-01'],
    ['two', '2027-01-01'],
  ]);
});

test('values of an enum that is built from an object can be deprecated', () => {
  const schema = build((builder) => {
    const Size = { small: 'small', large: 'large' };
    builder.enumType(Size, { name: 'Size', values: { small: { deprecation: words } } });
  });
  expect(printSchema(schema)).toContain('small @deprecated(reason: "To be removed on');
  expect(deprecationsIn(schema).map(({ of }) => of)).toEqual(['Size.small']);
});

const error = new Error('the database objects');

/** A schema whose builder has only the options of the Prisma plugin. */
function defaults() {
  const builder = createBuilder();
  const removed = { ...words, since: '2026-01-01', removal: '2026-01-02' };
  builder.queryType({
    fields: (t) => ({ old: t.boolean({ deprecation: removed, resolve: () => true }) }),
  });
  builder.mutationType({
    fields: (t) => ({
      add: t.boolean({ idempotency: true, resolve: () => Promise.reject(error) }),
    }),
  });
  return builder.toSchema();
}

test('by default, fields are removed according to the clock of the process', async () => {
  const { errors } = await graphql({ schema: defaults(), source: '{ old }' });
  expect(errors?.map(({ extensions }) => extensions['code'])).toEqual(['GONE']);
});

test('by default, mutations do not accept idempotency keys, and errors are returned unchanged', async () => {
  const schema = defaults();
  const add = schema.getMutationType()?.getFields()['add'];
  expect([add?.args, add?.extensions.idempotency]).toEqual([[], false]);
  const { errors } = await graphql({ schema, source: 'mutation { add }' });
  expect(errors?.map(({ originalError }) => originalError)).toEqual([error]);
});
