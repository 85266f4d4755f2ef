import { isObjectType, parse } from 'graphql';
import { expect, test, vi } from 'vitest';
import { setLogger } from '@store-gateway/ops';
import { createExecute } from '@store-gateway/graphql/execution';
import { buildWithOthers, REFUSALS, type Context } from './all-plugins.ts';

setLogger(undefined);

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

/** What a caller gets from graphql-js and from a compiled program, who have to agree. */
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

/** Each error's message and code. */
const told = ({ errors = [] }: Plain) =>
  errors.map(({ message, extensions }) => [message, extensions?.['code']]);

const RULE = 'must be a string of 1 to 9 characters, without NUL or unpaired surrogates';

const keepers = (name: string) => ({
  data: { animals: [{ keeper: { name } }, { keeper: { name } }] },
});
const rename = (name: string) => `mutation { rename(id: 1, name: "${name}") { name } }`;
const feed = (food: string) => `mutation { feed(idempotencyKey: "k", input: { food: "${food}" }) }`;
const healthOf = (id: number) =>
  `{ healthOf(id: ${id}) { __typename ... on QueryHealthOfSuccess { data } ... on Unknown { message } } }`;

test('scope-auth: a rule on an exposed column holds', async () => {
  const query = '{ animals(limit: 1) { id name } }';
  expect(await ask(query)).toEqual({ data: { animals: [{ id: '1', name: 'of ann' }] } });
  const refused = await ask(query, 'visitor');
  expect(refused.data).toEqual({ animals: [{ id: '1', name: null }] });
  expect(told(refused)).toEqual([['There is none for you', 'NOT_FOUND']]);
});

test('validation: a schema of an argument is checked, and so are our rules', async () => {
  expect(await ask(rename('rex'))).toEqual({ data: { rename: { name: 'rex' } } });
  expect(told(await ask(rename('Rex')))).toEqual([
    ['name must be in lower case', 'BAD_USER_INPUT'],
  ]);
  expect(told(await ask(rename('rexrexrexrex')))).toEqual([[`name ${RULE}`, 'BAD_USER_INPUT']]);
});

test('errors: an error becomes data, and one of our own stays an error', async () => {
  expect(await ask(healthOf(1))).toEqual({
    data: { healthOf: { __typename: 'QueryHealthOfSuccess', data: 'fine' } },
  });
  expect(await ask(healthOf(2))).toEqual({
    data: { healthOf: { __typename: 'Unknown', message: 'nobody has looked' } },
  });
  expect(told(await ask(healthOf(3)))).toEqual([['There is none', 'NOT_FOUND']]);
});

test('dataloader: each caller gets what is loaded for it', async () => {
  const names = ['ann', 'bob', 'ann', 'bob'];
  const asked = names.map((caller) => ask('{ animals(limit: 2) { keeper { name } } }', caller));
  expect(await Promise.all(asked)).toEqual(names.map(keepers));
});

test('complexity: what is too much is refused', async () => {
  expect(told(await ask('{ animals(limit: 2) { id keeper { name } } }'))).toEqual([]);
  const query = '{ a: animals { id } b: animals { id } c: animals { id } d: animals { id } }';
  expect(told(await ask(query))[0]).toEqual(['too much', 'BAD_USER_INPUT']);
});

test('with-input: the fields of an input have our rules, beside an idempotency key', async () => {
  expect(await ask(feed('hay'))).toEqual({ data: { feed: 'hay' } });
  expect(told(await ask(feed('')))).toEqual([[`food ${RULE}`, 'BAD_USER_INPUT']]);
});

test('simple-objects: a type of plain fields', async () => {
  expect(await ask('{ weather { sky warmth } }')).toEqual({
    data: { weather: { sky: 'blue', warmth: 20 } },
  });
});

test.each(REFUSALS)(
  '$plugin without $option is refused, because its errors have no code',
  (refusal) => {
    expect(() => buildWithOthers(refusal.options)).toThrow(
      `The plugin ${refusal.plugin} needs the option ${refusal.plugin}.${refusal.option}, which returns an error with a code: without it, clients would get INTERNAL_SERVER_ERROR`,
    );
  },
);

test('a column that no plugin wraps is read without calling anything', () => {
  const animal = schema.getType('Animal');
  const { id, owner, name } = isObjectType(animal) ? animal.getFields() : {};
  expect([id?.resolve, owner?.resolve]).toEqual([undefined, undefined]);
  expect(name?.resolve).toBeDefined();
});
