import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as turn } from 'node:timers/promises';
import SchemaBuilder from '@pothos/core';
import ScopeAuthPlugin from '@pothos/plugin-scope-auth';
import { assert, asyncProperty, constantFrom, record } from 'fast-check';
import type { GraphQLSchema } from 'graphql';
import { expect, test, vi } from 'vitest';
import { bearerToken } from '@store-gateway/access';
import { createGateway, startGateway } from '@store-gateway/gateway';
import { builderOptions, type BuilderTypes } from '@store-gateway/gateway/schema';
import { log, requestContext } from '@store-gateway/ops';
import { codedError } from '@store-gateway/ops/errors';
import { PAGE_INFO, type Route } from '@store-gateway/rest';
import type { Context as GatewayContext } from '../../packages/gateway/src/definition.ts';
import { models } from '../../prisma/generated/batched-models.ts';
import { PrismaClient } from '../../prisma/generated/client.ts';
import type PrismaTypes from '../../prisma/generated/pothos.ts';
import { getDatamodel } from '../../prisma/generated/pothos.ts';
import { emptyDatabase } from '../support/new-database.ts';
import { memberAt, objectsIn } from '../support/json-members.ts';
import { propertyRuns } from '../support/property-runs.ts';

type Context = GatewayContext<PrismaClient>;

const NAMES = ['1', '2', '3', '4'];
const ANIMALS = [...NAMES, ...NAMES].map((name, index) => ({
  id: BigInt(index + 1),
  name: `of ${name}`,
  categoryId: BigInt(name),
  status: 'available' as const,
}));

/** Storage in which code around an execution keeps its request's token. */
const tokens = new AsyncLocalStorage<string>();

/** The ways in which a resolver can learn who its caller is, including not at all. */
const WAYS: Readonly<Record<string, (context: Context) => unknown>> = {
  none: () => undefined,
  member: ({ caller }) => caller.id,
  copy: (context) => ({ ...context }).caller.id,
  entries: (context) =>
    new Map<string, Context['caller']>(Object.entries(context)).get('caller')?.id,
  late: async (context) => {
    await turn();
    await turn();
    return context.caller.id;
  },
  storage: () => tokens.getStore(),
  log: () => requestContext.getStore()?.keyId,
};

const way = constantFrom('none', 'none', ...Object.keys(WAYS));

/** Where a schema depends on the caller, from the root field to three levels below, and what is selected from it. */
const designs = record({
  list: way,
  get: way,
  name: way,
  nameRule: constantFrom('none', 'scope', 'function'),
  home: way,
  homeRule: constantFrom('none', 'none', 'scope', 'function', 'type'),
  street: way,
  note: way,
  selected: constantFrom(
    'id name',
    'id home { street }',
    'name home { street deeper { note } }',
    'home { deeper { note } }',
  ),
});
type Design = ReturnType<typeof designs.generate>['value'];

async function textFor(text: string, how: string, context: Context): Promise<string> {
  return `${text} for ${String(await WAYS[how]?.(context))}`;
}

/** Returns a condition on the rows if the resolver knows its caller. */
async function ownRows(how: string, context: Context) {
  const id = await WAYS[how]?.(context);
  return id === undefined ? {} : { categoryId: BigInt(/\d+/.exec(JSON.stringify(id))?.[0] ?? 0) };
}

function schemaOf(design: Design): GraphQLSchema {
  const { plugins, ...options } = builderOptions(models, getDatamodel());
  const builder = new SchemaBuilder<
    BuilderTypes<PrismaClient, PrismaTypes> & { AuthScopes: { keeper: boolean } }
  >({
    ...options,
    plugins: [ScopeAuthPlugin, ...plugins],
    scopeAuth: {
      authScopes: ({ caller }) => ({ keeper: isKeeper(caller) }),
      unauthorizedError: () => codedError('NOT_FOUND', 'There is none for you'),
    },
  });
  const ofRule = {
    none: {},
    type: {},
    scope: { authScopes: { keeper: true } },
    function: {
      authScopes: (_parent: unknown, _args: object, { caller }: Context) => isKeeper(caller),
    },
  };
  const Deeper = builder.objectRef<object>('Deeper').implement({
    fields: (t) => ({
      note: t.string({
        resolve: (_parent, _args, context) => textFor('note', design.note, context),
      }),
    }),
  });
  const Home = builder.objectRef<object>('Home').implement({
    ...(design.homeRule === 'type' && { authScopes: { keeper: true } }),
    fields: (t) => ({
      street: t.string({
        resolve: (_parent, _args, context) => textFor('street', design.street, context),
      }),
      deeper: t.field({ type: Deeper, resolve: () => ({}) }),
    }),
  });
  const Pet = builder.prismaObject('Pet', {
    resource: { plural: 'pets' },
    fields: (t) => ({
      id: t.exposeID('id'),
      name:
        design.name === 'none'
          ? t.exposeString('name', { nullable: true, ...ofRule[design.nameRule] })
          : t.string({
              nullable: true,
              ...ofRule[design.nameRule],
              resolve: ({ name }, _args, context) => textFor(name, design.name, context),
            }),
      home: t.field({
        type: Home,
        nullable: true,
        ...ofRule[design.homeRule],
        resolve: async (_parent, _args, context) => ({
          seenBy: await textFor('home', design.home, context),
        }),
      }),
    }),
  });
  const pets = builder.listField(Pet, {
    find: async ({ where, ...query }, context) =>
      context.database.pet.findMany({
        ...query,
        where: { ...where, ...(await ownRows(design.list, context)) },
      }),
  });
  builder.connectionField(pets);
  builder.getField(Pet, {
    shared: true,
    find: async ({ where, ...query }, context) => {
      const own = await ownRows(design.get, context);
      const rows = await context.database.pet.findMany({
        ...query,
        where: { ...where, ...own },
        take: 1,
      });
      return rows[0] ?? null;
    },
  });
  builder.queryType({});
  return builder.toSchema({ sortSchema: false });
}

function isKeeper({ id }: Context['caller']): boolean {
  return id % 2n === 1n;
}

function routesOf(selected: string): Route[] {
  return [
    {
      method: 'get',
      path: '/pets',
      summary: 'List animals',
      document: `query list($limit: Int, $after: ID) {
        petsConnection(limit: $limit, after: $after) { nodes { ${selected} } ${PAGE_INFO} }
      }`,
      status: 200,
    },
    {
      method: 'get',
      path: '/pets/:id',
      summary: 'Get an animal',
      document: `query get($id: ID!) { pet(id: $id) { ${selected} } }`,
      status: 200,
    },
  ];
}

/** Returns the requests that each caller sends, to both APIs. */
function pathsTo(selected: string): readonly string[] {
  const documents = [
    `{ pets { ${selected} } }`,
    `{ petsConnection(first: 3) { nodes { ${selected} } edges { node { ${selected} } } pageInfo { hasNextPage } } }`,
    `{ pet(id: 2) { ${selected} } }`,
    `{ a: pet(id: 1) { ${selected} } pets(limit: 2) { ...F } } fragment F on Pet { ${selected} }`,
  ];
  return [
    '/v1/pets',
    '/v1/pets?limit=2&after=1',
    '/v1/pets/3',
    ...documents.map((query) => `/graphql?${new URLSearchParams({ query }).toString()}`),
  ];
}

/** Serves a design to callers whose token is their id. Each has two animals. */
async function serve(design: Design, databaseUrl: string) {
  const { selected } = design;
  const gateway = createGateway({
    name: 'shelter',
    title: 'Shelter',
    description: 'animals',
    version: '1.0.0',
    access: {
      keyPrefix: 'pets_',
      authenticate: ({ headers }) =>
        Promise.resolve({ id: BigInt(bearerToken(headers.authorization) ?? 0), scopes: 'all' }),
    },
    prisma: {
      Client: PrismaClient,
      models,
      migrations: new URL('../../prisma/migrations/', import.meta.url),
    },
    load: () =>
      Promise.resolve({
        schema: schemaOf(design),
        rest: { basePath: '/v1', info: { title: '', version: '1' }, routes: routesOf(selected) },
        steps: [
          ({ headers }, _response, next) => {
            tokens.run(bearerToken(headers.authorization) ?? '', next);
          },
        ],
      }),
  });
  return startGateway(gateway, { DATABASE_URL: databaseUrl });
}

test('wherever a schema depends on the caller, concurrent callers get the same responses as when alone', async () => {
  const databaseUrl = await emptyDatabase();
  const logged = vi.spyOn(log, 'info');
  let reports = 0;
  const property = asyncProperty(designs, async (design) => {
    logged.mockClear();
    await using started = await serve(design, databaseUrl);
    await started.database.pet.deleteMany();
    await started.database.pet.createMany({ data: ANIMALS });
    const ask = async (name: string, path: string) => {
      const headers = { Authorization: `Bearer ${name}` };
      const response = await fetch(started.url + path, { headers });
      const { status } = response;
      const text = await response.text();
      const json: unknown = JSON.parse(text);
      // How many fields fail below one that is already null, and in which order, depends on the executor.
      const errors = objectsIn(memberAt(json, 'errors')).map(({ message }) => String(message));
      const data = memberAt(json, 'data') ?? null;
      const messages = data === null ? [] : [...new Set(errors)].toSorted();
      const body = errors.length === 0 ? text : [data, messages];
      return { name, status, body };
    };
    for (const path of pathsTo(design.selected)) {
      // Three rounds, because a document is compiled when it is sent a second time.
      const together = [];
      for (let round = 0; round < 3; round += 1) {
        const asked = [...NAMES, ...NAMES].map((name) => ask(name, path));
        together.push(...(await Promise.all(asked)));
      }
      const alone = new Map<string, unknown>();
      for (const name of NAMES) {
        alone.set(name, await ask(name, path));
      }
      for (const answer of together) {
        expect([path, answer]).toEqual([path, alone.get(answer.name)]);
      }
    }
    const ofDesign = logged.mock.calls.filter(([, text]) => text?.startsWith('not coalesced: '));
    // Each of the three fields is reported at most once.
    expect(ofDesign.length).toBeLessThanOrEqual(3);
    reports += ofDesign.length;
  });
  await assert(property, propertyRuns(8));
  expect(reports).toBeGreaterThan(0);
  logged.mockRestore();
});
