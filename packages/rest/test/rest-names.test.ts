import { buildSchema, isEnumType } from 'graphql';
import { expect, test } from 'vitest';
import { inputError, inputFaults } from '@store-gateway/graphql';
import { printJson } from '../src/endpoints.ts';
import { errorInRestNames } from '../src/members.ts';
import { createRest } from '../src/rest.ts';

const schema = buildSchema(/* GraphQL */ `
  enum Kind {
    SHORT_STORY
    POEM
  }
  type Entry {
    id: ID!
    kind: Kind!
  }
  input NewEntry {
    kind: Kind! = SHORT_STORY
    like: [Kind!]
  }
  type Query {
    entry(only: [Kind!]): Entry!
  }
  type Mutation {
    add(input: NewEntry!): Entry!
  }
`);
const kind = schema.getType('Kind');
const story = isEnumType(kind) ? kind.getValue('SHORT_STORY') : undefined;
Object.assign(story?.extensions ?? {}, { restName: 'short-story' });

Object.assign(schema.getType('Entry')?.extensions ?? {}, {
  resource: { plural: 'entries', about: 'Books.' },
});

const rest = createRest({
  schema,
  routes: [
    {
      method: 'get',
      path: '/entry',
      summary: 'Get',
      document: 'query get($kinds: [Kind!]) { entry(only: $kinds) { id kind } }',
      status: 200,
    },
    {
      method: 'post',
      path: '/entries',
      summary: 'Add',
      document: 'mutation add($input: NewEntry!) { add(input: $input) { id kind } }',
      status: 201,
    },
  ],
  basePath: '/v1',
  info: {},
  messages: {},
});
const [get, add] = rest.routes;
if (get === undefined || add === undefined) {
  throw new Error('there are two routes');
}
const NOTHING = { path: {}, query: {}, body: {} };

test('enum values have their REST names in requests, responses and the OpenAPI document', async () => {
  expect(get.read({ ...NOTHING, query: { kinds: 'short-story,POEM,SHORT_STORY' } })).toEqual({
    kinds: ['SHORT_STORY', 'POEM', Number.NaN],
  });
  expect(add.read({ ...NOTHING, body: { kind: 'short-story', like: ['SHORT_STORY'] } })).toEqual({
    input: { kind: 'SHORT_STORY', like: [Number.NaN] },
  });
  expect(get.operation.represent({ id: '1', kind: 'SHORT_STORY' }).body).toBe(
    '{"id":1,"kind":"short-story"}',
  );
  const contract = await printJson(rest);
  expect(contract).not.toContain('SHORT_STORY');
  expect(contract).toContain('"default": "short-story"');
});

test('error messages use the REST names of inputs and enum values at any depth', () => {
  const told = (route: typeof get, value: unknown) => {
    const [[, input] = []] = route.operation.inputs;
    const faults = input === undefined ? [] : inputFaults(input, value);
    return errorInRestNames(inputError(faults), route.operation.inputs).extensions.faults;
  };
  expect(told(get, [Number.NaN])).toEqual([
    { path: ['kinds', 0], message: 'kinds must be one of short-story, POEM' },
  ]);
  expect(told(add, { kind: 5, like: [Number.NaN], more: 1 })).toEqual([
    { path: ['input', 'kind'], message: 'kind must be one of short-story, POEM' },
    { path: ['input', 'like', 0], message: 'like must be one of short-story, POEM' },
    { path: ['input', 'more'], message: 'more is not a field of NewEntry' },
  ]);
});
