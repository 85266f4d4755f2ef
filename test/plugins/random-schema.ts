import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as turn } from 'node:timers/promises';
import SchemaBuilder from '@pothos/core';
import PrismaPlugin from '@pothos/plugin-prisma';
import ScopeAuthPlugin from '@pothos/plugin-scope-auth';
import { constantFrom, record } from 'fast-check';
import type { GraphQLSchema } from 'graphql';
import { codedError } from '@store-gateway/ops/errors';
import { requestContext } from '@store-gateway/ops';
import { RESOURCES } from '@store-gateway/resource';
import { prisma, type FindAnimals, type ShelterTypes } from './shelter-model.ts';

export interface Caller {
  readonly name: string;
  readonly isKeeper: boolean;
}

export interface Context {
  readonly find: FindAnimals;
  readonly caller: Caller;
}

/** What the code around an execution may keep for its request. */
export const callers = new AsyncLocalStorage<Caller>();

/** How a resolver may come to know its caller, if it does. */
const WAYS: Readonly<Record<string, (context: Context) => Promise<Caller | undefined>>> = {
  none: () => Promise.resolve(undefined),
  member: ({ caller }) => Promise.resolve(caller),
  copy: (context) => Promise.resolve({ ...context }.caller),
  entries: (context) => Promise.resolve(new Map(Object.entries(context)).get('caller')),
  late: async (context) => {
    await turn();
    await turn();
    return context.caller;
  },
  storage: () => Promise.resolve(callers.getStore()),
  log: () =>
    Promise.resolve({ name: requestContext.getStore()?.keyId ?? 'nobody', isKeeper: false }),
};

const way = constantFrom('none', 'none', ...Object.keys(WAYS));
const rule = constantFrom('none', 'none', 'scope', 'function', 'type');

/** Where a schema depends on the caller, from the root field to three levels below, and what is selected of it. */
export const designs = record({
  list: way,
  get: way,
  name: way,
  nameRule: rule,
  home: way,
  homeRule: rule,
  street: way,
  note: way,
  selected: constantFrom(
    'id name',
    'id home { street }',
    'name home { street deeper { note } }',
    'home { deeper { note } }',
  ),
});

interface Design {
  readonly list: string;
  readonly get: string;
  readonly name: string;
  readonly nameRule: string;
  readonly home: string;
  readonly homeRule: string;
  readonly street: string;
  readonly note: string;
}

/** What a resolver says to its caller, if it knows any. */
async function tell(text: string, how: string, context: Context): Promise<string> {
  const caller = await WAYS[how]?.(context);
  return caller === undefined ? text : `${text} for ${caller.name}`;
}

export function schemaOf(design: Design): GraphQLSchema {
  const builder = new SchemaBuilder<ShelterTypes<Context>>({
    plugins: [ScopeAuthPlugin, PrismaPlugin, RESOURCES],
    defaultFieldNullability: false,
    prisma,
    scopeAuth: {
      authScopes: ({ caller }) => ({ keeper: caller.isKeeper }),
      unauthorizedError: () => codedError('NOT_FOUND', 'There is none for you'),
    },
    lifecycle: { now: Date.now },
    idempotency: { deduplicating: (context) => context },
    violations: { violationOf: () => Promise.resolve(undefined) },
  });
  const ofRule = {
    none: {},
    scope: { authScopes: { keeper: true } },
    function: {
      authScopes: (_parent: unknown, _args: object, { caller }: Context) => caller.isKeeper,
    },
  };
  const ruleOf = (name: string) =>
    name === 'scope' || name === 'function' ? ofRule[name] : ofRule.none;

  const Deeper = builder.objectRef<object>('Deeper').implement({
    fields: (t) => ({
      note: t.string({ resolve: (_parent, _args, context) => tell('note', design.note, context) }),
    }),
  });
  const Home = builder.objectRef<object>('Home').implement({
    ...(design.homeRule === 'type' && { authScopes: { keeper: true } }),
    fields: (t) => ({
      street: t.string({
        resolve: (_parent, _args, context) => tell('street', design.street, context),
      }),
      deeper: t.field({ type: Deeper, resolve: () => ({}) }),
    }),
  });
  const Animal = builder.prismaObject('Animal', {
    resource: { plural: 'animals' },
    fields: (t) => ({
      id: t.exposeID('id'),
      name:
        design.name === 'none'
          ? t.exposeString('name', { nullable: true, ...ruleOf(design.nameRule) })
          : t.string({
              nullable: true,
              ...ruleOf(design.nameRule),
              resolve: ({ name }, _args, context) => tell(name, design.name, context),
            }),
      home: t.field({
        type: Home,
        nullable: true,
        ...ruleOf(design.homeRule),
        resolve: async (_parent, _args, context) => ({
          seenBy: await tell('home', design.home, context),
        }),
      }),
    }),
  });
  const animals = builder.listField(Animal, {
    find: async (query, context) => context.find(query, (await WAYS[design.list]?.(context))?.name),
  });
  builder.connectionField(animals);
  builder.getField(Animal, {
    find: async (query, context) =>
      (await context.find(query, (await WAYS[design.get]?.(context))?.name))[0] ?? null,
  });
  builder.queryType({});
  return builder.toSchema({ sortSchema: false });
}
