import SchemaBuilder from '@pothos/core';
import ComplexityPlugin from '@pothos/plugin-complexity';
import DataloaderPlugin from '@pothos/plugin-dataloader';
import ErrorsPlugin from '@pothos/plugin-errors';
import PrismaPlugin from '@pothos/plugin-prisma';
import ScopeAuthPlugin from '@pothos/plugin-scope-auth';
import SimpleObjectsPlugin from '@pothos/plugin-simple-objects';
import ValidationPlugin from '@pothos/plugin-validation';
import WithInputPlugin from '@pothos/plugin-with-input';
import type { GraphQLSchema } from 'graphql';
import { codedError } from '@store-gateway/ops/errors';
import { inputError, text } from '@store-gateway/graphql';
import { RESOURCES } from '@store-gateway/resource';
import { createAnimals, prisma, type ShelterTypes } from './shelter-model.ts';

export interface Context {
  readonly caller: string;
}

class Unknown extends Error {}

const find = createAnimals(['ann', 'bob']);

/** As any library of schemas gives it (https://standardschema.dev). */
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

const scopeAuth = {
  authScopes: ({ caller }: Context) => ({ keeper: caller === 'keeper' }),
  unauthorizedError: () => codedError('NOT_FOUND', 'There is none for you'),
};
const validation = {
  validationError: ({
    issues,
  }: {
    readonly issues: readonly {
      readonly path?: readonly unknown[] | undefined;
      readonly message: string;
    }[];
  }) =>
    inputError(
      issues.map(({ path = [], message }) => {
        const names = path.map(String);
        return { path: names, message: `${names.join('.')} ${message}` };
      }),
    ),
};
const complexity = {
  limit: { complexity: 40 },
  complexityError: () => codedError('BAD_USER_INPUT', 'too much'),
};

/** Options of other plugins that leave their errors without a code. */
export const REFUSALS = [
  {
    plugin: 'scopeAuth',
    option: 'unauthorizedError',
    options: { scopeAuth: { authScopes: scopeAuth.authScopes } },
  },
  { plugin: 'validation', option: 'validationError', options: { validation: {} } },
  {
    plugin: 'complexity',
    option: 'complexityError',
    options: { complexity: { limit: { depth: 3 } } },
  },
];

/** A schema of all of Pothos' own plugins that people add first, and all of ours. */
export function buildWithOthers(others: object = {}): GraphQLSchema {
  const builder = new SchemaBuilder<ShelterTypes<Context>>({
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
    prisma,
    scopeAuth,
    validation,
    complexity,
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
  const Animal = builder.prismaObject('Animal', {
    resource: { plural: 'animals' },
    fields: (t) => ({
      id: t.exposeID('id'),
      owner: t.exposeString('owner'),
      name: t.exposeString('name', { nullable: true, authScopes: { keeper: true } }),
      keeper: t.field({ type: Keeper, resolve: ({ owner }) => owner }),
    }),
  });
  const animals = builder.listField(Animal, { find: (query) => find(query) });
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
      resolve: (_root, { id, name }) => ({ id: BigInt(id), name, owner: 'ann' }),
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
