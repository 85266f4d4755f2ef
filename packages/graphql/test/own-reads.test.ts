import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as turn } from 'node:timers/promises';
import { buildSchema, parse, type GraphQLFieldResolver } from 'graphql';
import { expect, test, vi } from 'vitest';
import { requestContext } from '@store-gateway/ops';
import { createExecute } from '../src/execution/execute.ts';

const services = { database: { name: 'everyone’s' } };

interface Context {
  readonly database: { readonly name: string };
  readonly caller: string;
  readonly nextKey?: string;
}

type Resolve = GraphQLFieldResolver<unknown, Context>;

const tenants = new AsyncLocalStorage<string>();

async function inAWhile(): Promise<void> {
  for (let turns = 0; turns < 3; turns += 1) {
    await turn();
  }
}

/** Ten callers query a field at once, three times. @returns their results, and the resolver calls of the last time */
async function ask(resolve: Resolve, { at = 'root', shared = true } = {}) {
  const schema = buildSchema(`
    interface Named { name: String }
    type Item implements Named { name: String }
    type Query { item: Named }
  `);
  const root = schema.getQueryType()?.getFields()['item'];
  const item = schema.getType('Item');
  if (!root || !item || !('getFields' in item) || !('isTypeOf' in item)) {
    throw new Error('the schema has these');
  }
  const name = item.getFields()['name'];
  if (!name || !('resolve' in name)) {
    throw new Error('the schema has it');
  }
  let calls = 0;
  const counted: Resolve = async (parent, args, context, info) => {
    calls += 1;
    await turn();
    return resolve(parent, args, context, info);
  };
  root.extensions = { shared: true };
  item.isTypeOf = () => true;
  name.extensions = { shared: shared ? undefined : false };
  if (at === 'root') {
    root.resolve = async (parent, args: object, context: Context, info) => ({
      name: await counted(parent, args, context, info),
    });
  } else {
    root.resolve = async () => ({});
    name.resolve = counted;
  }
  const execute = createExecute<string>(schema, {
    services,
    contextOf: ({ caller }): Context => ({ ...services, caller }),
  });
  const document = parse('{ item { name } }');
  const callers = Array.from({ length: 10 }, (_, index) => `key ${index}`);
  const askAll = async () => {
    calls = 0;
    const results = await Promise.all(
      callers.map((caller) =>
        tenants.run(caller, () =>
          requestContext.run({ id: caller }, () =>
            execute({ document }, { caller, idempotencyKey: undefined }),
          ),
        ),
      ),
    );
    await vi.dynamicImportSettled();
    return results.map(({ data }) => nameIn(data?.['item']));
  };
  const first = await askAll();
  await askAll();
  const again = await askAll();
  expect(again).toEqual(first);
  return { names: first, calls, callers };
}

function nameIn(item: unknown): unknown {
  return typeof item === 'object' && item !== null && 'name' in item ? item.name : undefined;
}

const READS: Readonly<Record<string, Resolve>> = {
  'a member': (_root, _args, { caller }) => caller,
  'a copy': (_root, _args, context) => ({ ...context }).caller,
  'a copy without spread': (_root, _args, context) => Object.assign({}, context).caller,
  'the entries': (_root, _args, context) => String(Object.entries(context)[1]?.[1]),
  'the last value': (_root, _args, context) => String(Object.values(context).at(-1)),
  'a descriptor': (_root, _args, context) =>
    String(Object.getOwnPropertyDescriptor(context, 'caller')?.value),
  'a member, in a while': async (_root, _args, context) => {
    await inAWhile();
    return context.caller;
  },
  'a member, whose failure it swallows': (_root, _args, context) => {
    try {
      return context.caller;
    } catch {
      return 'nobody';
    }
  },
  'a storage of the request': () => tenants.getStore(),
  'a storage of the request, in a while': async () => {
    await inAWhile();
    return tenants.getStore();
  },
  "the log's context": () => requestContext.getStore()?.id,
};

test.each(['root', 'below'])(
  'a resolver that reads the context of its request runs for each caller (at the level: %s)',
  async (at) => {
    for (const [what, resolve] of Object.entries(READS)) {
      const { names, calls, callers } = await ask(resolve, { at });
      expect([what, names, calls]).toEqual([what, callers, 10]);
    }
  },
);

test.each<[string, Resolve]>([
  [
    'a resolver that checks whether the context has a member',
    (_root, _args, context) => String('nextKey' in context),
  ],
  [
    'a resolver that reads a member that some requests lack',
    (_root, _args, { nextKey }) => nextKey ?? 'none',
  ],
  [
    'a resolver that lists the members of the context',
    (_root, _args, context) => Object.keys(context).join(),
  ],
  [
    'a resolver that writes to the context',
    (_root, _args, context) => String(Reflect.set(context, 'seen', true)),
  ],
])('the result of %s is not shared', async (_what, resolve) => {
  expect((await ask(resolve)).calls).toBe(10);
});

test('concurrent callers share the result of a resolver that reads only the services', async () => {
  const { names, calls } = await ask((_root, _args, context) =>
    Symbol.iterator in context ? 'a list' : context.database.name,
  );
  expect(names).toEqual(names.map(() => 'everyone’s'));
  expect(calls).toBe(2);
});

test('no caller can change a shared result', async () => {
  const schema = buildSchema('type Query { name: String }');
  const { name } = schema.getQueryType()?.getFields() ?? {};
  Object.assign(name?.extensions ?? {}, { shared: true });
  const execute = createExecute<string>(schema, { services });
  const document = parse('{ name }');
  const results = await Promise.all(
    ['one', 'two', 'three'].map((caller) =>
      execute({ document }, { caller, idempotencyKey: undefined }),
    ),
  );
  expect(results[2]).toBe(results[1]);
  // The first caller's result isn't shared, so it may be changed.
  expect(results.map((result) => Reflect.set(result, 'extensions', {}))).toEqual([
    true,
    false,
    false,
  ]);
});

test('a field with shared: false is executed for each caller, even if it is selected through an interface', async () => {
  const { calls } = await ask(() => 'a new one', { at: 'below', shared: false });
  expect(calls).toBe(10);
});
