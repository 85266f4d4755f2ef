import SchemaBuilder from '@pothos/core';
import ComplexityPlugin from '@pothos/plugin-complexity';
import DataloaderPlugin from '@pothos/plugin-dataloader';
import ErrorsPlugin from '@pothos/plugin-errors';
import PrismaPlugin from '@pothos/plugin-prisma';
import ScopeAuthPlugin from '@pothos/plugin-scope-auth';
import SimpleObjectsPlugin from '@pothos/plugin-simple-objects';
import ValidationPlugin from '@pothos/plugin-validation';
import WithInputPlugin from '@pothos/plugin-with-input';
import { isObjectType, parse, type GraphQLSchema } from 'graphql';
import { expect, test, vi } from 'vitest';
import { inputError, text } from '@store-gateway/graphql';
import { createExecute } from '@store-gateway/graphql/execution';
import { setLogger } from '@store-gateway/ops';
import { codedError } from '@store-gateway/ops/errors';
import { RESOURCES } from '@store-gateway/resource';
import type PrismaTypes from '../../examples/library/prisma/generated/pothos.ts';
import { getDatamodel } from '../../examples/library/prisma/generated/pothos.ts';

/* Pothos's own plugins, which stores add first, work together with ours. */

setLogger(undefined);

interface Context {
  readonly caller: string;
}

class Unknown extends Error {}

const ANIMALS = ['ann', 'bob', 'ann', 'bob'].map((owner, index) => ({
  id: BigInt(index + 1),
  name: `of ${owner}`,
}));

/** A schema in the form that validation libraries use (https://standardschema.dev). */
const lowerCase = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate: (value: unknown) =>
      typeof value === 'string' && value === value.toLowerCase()
        ? { value }
        : { issues: [{ message: 'must be in lower case' }] },
  },
} as const;

const authScopes = ({ caller }: Context) => ({ keeper: caller === 'keeper' });

/** Options of other plugins that are required because the plugins' default errors would have no code. */
const REFUSALS = [
  { plugin: 'scopeAuth', option: 'unauthorizedError', options: { scopeAuth: { authScopes } } },
  { plugin: 'validation', option: 'validationError', options: { validation: {} } },
  { plugin: 'complexity', option: 'complexityError', options: { complexity: { limit: {} } } },
];

/** Builds a schema with all Pothos plugins that stores add first, and all of ours. */
function buildWithOthers(others: object = {}): GraphQLSchema {
  const builder = new SchemaBuilder<{
    Context: Context;
    PrismaTypes: PrismaTypes;
    Scalars: { ID: { Input: string; Output: string | bigint } };
    DefaultFieldNullability: false;
    AuthScopes: { keeper: boolean };
  }>({
    plugins: [
      ErrorsPlugin,
      ComplexityPlugin,
      ScopeAuthPlugin,
      ValidationPlugin,
      WithInputPlugin,
      SimpleObjectsPlugin,
      DataloaderPlugin,
      PrismaPlugin,
      RESOURCES,
    ],
    defaultFieldNullability: false,
    prisma: { client: { $connect: () => Promise.resolve() }, dmmf: getDatamodel() },
    scopeAuth: {
      authScopes,
      unauthorizedError: () => codedError('NOT_FOUND', 'There is none for you'),
    },
    validation: {
      validationError: ({ issues }) =>
        inputError(
          issues.map(({ path = [], message }) => {
            const names = path.map(String);
            return { path: names, message: `${names.join('.')} ${message}` };
          }),
        ),
    },
    complexity: {
      limit: { complexity: 40 },
      complexityError: () => codedError('BAD_USER_INPUT', 'too much'),
    },
    withInput: { argOptions: { required: true } },
    errors: { defaultTypes: [] },
    lifecycle: { now: Date.now },
    idempotency: { deduplicating: (context) => context },
    violations: { violationOf: () => Promise.resolve(undefined) },
    ...others,
  });

  const Keeper = builder.loadableObjectRef<{ readonly name: string }, string>('Keeper', {
    load: (ids, { caller }) => Promise.resolve(ids.map(() => ({ name: caller }))),
  });
  Keeper.implement({ fields: (t) => ({ name: t.exposeString('name') }) });
  const Animal = builder.prismaObject('Author', {
    name: 'Animal',
    resource: { plural: 'animals' },
    fields: (t) => ({
      id: t.exposeID('id'),
      name: t.exposeString('name', { nullable: true, authScopes: { keeper: true } }),
      keeper: t.field({ type: Keeper, resolve: ({ id }) => String(id) }),
    }),
  });
  const animals = builder.listField(Animal, {
    find: ({ take }) => Promise.resolve(ANIMALS.slice(0, take)),
  });
  builder.connectionField(animals);

  builder.objectType(Unknown, {
    name: 'Unknown',
    fields: (t) => ({ message: t.exposeString('message') }),
  });
  builder.queryField('healthOf', (t) =>
    t.string({
      args: { id: t.arg.int({ required: true }) },
      errors: { types: [Unknown] },
      resolve: (_root, { id }) => {
        if (id === 1) {
          return 'fine';
        }
        throw id === 2
          ? new Unknown('nobody has looked')
          : codedError('NOT_FOUND', 'There is none');
      },
    }),
  );
  const Weather = builder.simpleObject('Weather', {
    fields: (t) => ({ sky: t.string(), warmth: t.int() }),
  });
  builder.queryField('weather', (t) =>
    t.field({ type: Weather, resolve: () => ({ sky: 'blue', warmth: 20 }) }),
  );
  builder.queryType({});
  builder.mutationType({});
  builder.mutationField('rename', (t) =>
    t.field({
      type: Animal,
      args: {
        id: t.arg.id({ required: true }),
        name: t.arg.string({ required: true, rule: text(1, 9), validate: lowerCase }),
      },
      resolve: (_root, { id, name }) => ({ id: BigInt(id), name }),
    }),
  );
  builder.mutationField('feed', (t) =>
    t.fieldWithInput({
      type: 'String',
      input: { food: t.input.string({ required: true, rule: text(1, 9) }) },
      resolve: (_root, { input }) => input.food,
    }),
  );
  return builder.toSchema({ sortSchema: false });
}

const schema = buildWithOthers();
const execute = createExecute<string>(schema, {
  services: {},
  contextOf: ({ caller }): Context => ({ caller }),
});

interface Plain {
  readonly data?: unknown;
  readonly errors?:
    | readonly {
        readonly message: string;
        readonly extensions?: Readonly<Record<string, unknown>>;
      }[]
    | undefined;
}

/** Returns the result for a caller, which must be the same from graphql-js and from a compiled program. */
async function ask(query: string, caller = 'keeper'): Promise<Plain> {
  const document = parse(query);
  const results: Plain[] = [];
  for (let turn = 0; turn < 3; turn += 1) {
    const result = await execute({ document }, { caller, idempotencyKey: undefined });
    results.push({ data: result.data, errors: result.errors?.map((error) => error.toJSON()) });
    await vi.dynamicImportSettled();
  }
  const [first = {}, ...others] = results;
  others.forEach((other) => {
    expect(other).toEqual(first);
  });
  return first;
}

/** Returns each error's message and code. */
const errorsOf = ({ errors = [] }: Plain) =>
  errors.map(({ message, extensions }) => [message, extensions?.['code']]);

const RULE = 'must be a string of 1 to 9 characters, without NUL or unpaired surrogates';

const keepers = (name: string) => ({
  data: { animals: [{ keeper: { name } }, { keeper: { name } }] },
});
const rename = (name: string) => `mutation { rename(id: 1, name: "${name}") { name } }`;
const feed = (food: string) => `mutation { feed(idempotencyKey: "k", input: { food: "${food}" }) }`;
const healthOf = (id: number) =>
  `{ healthOf(id: ${id}) { __typename ... on QueryHealthOfSuccess { data } ... on Unknown { message } } }`;

test('scope-auth: a rule protects an exposed column', async () => {
  const query = '{ animals(limit: 1) { id name } }';
  expect(await ask(query)).toEqual({ data: { animals: [{ id: '1', name: 'of ann' }] } });
  const refused = await ask(query, 'visitor');
  expect(refused.data).toEqual({ animals: [{ id: '1', name: null }] });
  expect(errorsOf(refused)).toEqual([['There is none for you', 'NOT_FOUND']]);
});

test('validation: an argument is validated by its schema and by our input rules', async () => {
  expect(await ask(rename('rex'))).toEqual({ data: { rename: { name: 'rex' } } });
  expect(errorsOf(await ask(rename('Rex')))).toEqual([
    ['name must be in lower case', 'BAD_USER_INPUT'],
  ]);
  expect(errorsOf(await ask(rename('rexrexrexrex')))).toEqual([[`name ${RULE}`, 'BAD_USER_INPUT']]);
});

test('errors: a declared error becomes data, and an error with a code remains an error', async () => {
  expect(await ask(healthOf(1))).toEqual({
    data: { healthOf: { __typename: 'QueryHealthOfSuccess', data: 'fine' } },
  });
  expect(await ask(healthOf(2))).toEqual({
    data: { healthOf: { __typename: 'Unknown', message: 'nobody has looked' } },
  });
  expect(errorsOf(await ask(healthOf(3)))).toEqual([['There is none', 'NOT_FOUND']]);
});

test('dataloader: each caller gets the rows that were loaded for it', async () => {
  const names = ['ann', 'bob', 'ann', 'bob'];
  const asked = names.map((caller) => ask('{ animals(limit: 2) { keeper { name } } }', caller));
  expect(await Promise.all(asked)).toEqual(names.map(keepers));
});

test('complexity: a document over the limit is rejected', async () => {
  expect(errorsOf(await ask('{ animals(limit: 2) { id keeper { name } } }'))).toEqual([]);
  const query = '{ a: animals { id } b: animals { id } c: animals { id } d: animals { id } }';
  expect(errorsOf(await ask(query))[0]).toEqual(['too much', 'BAD_USER_INPUT']);
});

test('with-input: our input rules apply to input fields, even next to an idempotency key', async () => {
  expect(await ask(feed('hay'))).toEqual({ data: { feed: 'hay' } });
  expect(errorsOf(await ask(feed('')))).toEqual([[`food ${RULE}`, 'BAD_USER_INPUT']]);
});

test('simple-objects: a type can have plain fields', async () => {
  expect(await ask('{ weather { sky warmth } }')).toEqual({
    data: { weather: { sky: 'blue', warmth: 20 } },
  });
});

test.each(REFUSALS)(
  '$plugin without $option is rejected, because its errors would have no code',
  (refusal) => {
    expect(() => buildWithOthers(refusal.options)).toThrow(
      `The plugin ${refusal.plugin} needs the option ${refusal.plugin}.${refusal.option}, which returns an error with a code: without it, clients would get INTERNAL_SERVER_ERROR`,
    );
  },
);

test('a column that no plugin wraps has no resolver', () => {
  const animal = schema.getType('Animal');
  const { id, name } = isObjectType(animal) ? animal.getFields() : {};
  expect(id).toBeDefined();
  expect(id?.resolve).toBeUndefined();
  expect(name?.resolve).toBeDefined();
});
