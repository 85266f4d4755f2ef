import { buildSchema, isObjectType } from 'graphql';
import { expect, onTestFinished, test } from 'vitest';
import { printJson, createEndpoints, type EndpointOptions } from '../src/endpoints.ts';
import { createRest, type Rest, type Route } from '../src/rest.ts';
import { serveEndpoints } from '../../../test/support/serve-endpoints.ts';

const SDL = /* GraphQL */ `
  type Entry {
    id: ID!
    title: String!
    mine: String
  }
  input EntryChange {
    title: String
    pages: Int
    series: Series
  }
  input Series {
    name: String
    part: Int
  }
  input NewEntry {
    title: String!
  }
  input Filled {
    pages: Int = 1
  }
  type Query {
    entry(id: ID!): Entry
    find(like: EntryChange): Entry
  }
  type Mutation {
    update(id: ID!, input: EntryChange!): Entry!
    replace(id: ID!, input: NewEntry!): Entry!
    fill(id: ID!, input: Filled!): Entry!
    delete(id: ID!, like: EntryChange): Boolean!
  }
`;

const get = {
  method: 'get',
  path: '/entries/:id',
  summary: 'Get',
  document: 'query get($id: ID!) { entry(id: $id) { id title } }',
  status: 200,
} as const;
const patch = {
  method: 'patch',
  path: '/entries/:id',
  summary: 'Change',
  document:
    'mutation update($id: ID!, $input: EntryChange!) { update(id: $id, input: $input) { id title } }',
  status: 200,
} as const;
const remove = {
  method: 'delete',
  path: '/entries/:id',
  summary: 'Remove',
  document: 'mutation remove($id: ID!) { delete(id: $id) }',
  status: 204,
} as const;

function restOf(...routes: readonly Route[]): Rest {
  const schema = buildSchema(SDL);
  const entry = schema.getType('Entry');
  const { mine } = isObjectType(entry) ? entry.getFields() : {};
  Object.assign(mine?.extensions ?? {}, { shared: false });
  Object.values(schema.getMutationType()?.getFields() ?? {}).forEach(({ extensions }) => {
    Object.assign(extensions, { idempotency: { reused: 'The key was used before' } });
  });
  return createRest({ schema, routes, basePath: '/v2', info: {}, messages: {} });
}

/** Serves routes whose operations return this data, as replays of their idempotency key. */
async function serve(
  data: Record<string, unknown>,
  seen: unknown[] = [],
  given: Partial<EndpointOptions<string>> = {},
  change: Route = patch,
): Promise<string> {
  const options: EndpointOptions<string> = {
    documentation: '/docs',
    admit: () => Promise.resolve({ caller: 'me', waited: 0, turn: () => Promise.resolve() }),
    execute: ({ variableValues }, { idempotencyKey, onReplay }) => {
      seen.push(variableValues, idempotencyKey);
      onReplay?.();
      return Promise.resolve({ data });
    },
    ...given,
  };
  const { url, close } = await serveEndpoints(
    createEndpoints(restOf(get, change, remove), options),
  );
  onTestFinished(close);
  return `${url}/v2/entries/7`;
}

const ENTRY = { id: '7', title: 'A' };

test.each([
  ['of up to 64 KiB is stored', 'A'.repeat(65_000), 'title', 1],
  ['of more than 64 KiB is not stored', 'A'.repeat(66_000), 'title', 0],
  ['with data that depends on the caller is not stored', 'AA', 'title mine', 0],
])(
  'a first response %s; no route replays the response of a different route',
  async (_of, title, members, times) => {
    const kept = new Map<string, string>();
    const responses = {
      keep: async (caller: string, key: string, response: string) => {
        kept.set(`${caller} ${key}`, response);
      },
      find: async (caller: string, key: string) => kept.get(`${caller} ${key}`),
    };
    let data = { update: { id: '7', title } };
    let isReplay = false;
    const given: Partial<EndpointOptions<string>> = {
      responses,
      execute: (_operation, { onReplay }) => {
        if (isReplay) {
          onReplay?.();
        }
        return Promise.resolve({ data });
      },
    };
    const url = await serve({}, [], given, {
      ...patch,
      document: patch.document.replace('title }', `${members} }`),
    });
    const change = async () => {
      const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': 'k' };
      const response = await fetch(url, { method: 'PATCH', headers, body: '{}' });
      return [(await response.text()).length, response.headers.get('Idempotent-Replayed')];
    };
    const [length] = await change();
    expect(kept.size).toBe(times);
    isReplay = true;
    data = { update: ENTRY };
    const now = ['{"id":7,"title":"A"}'.length, 'true; embedded=current'];
    expect(await change()).toEqual(times === 0 ? now : [length, 'true']);
    for (const [key, text] of kept) {
      kept.set(key, text.replace(/"by":"[^"]*"/, '"by":"another"'));
    }
    expect(await change()).toEqual(now);
  },
);

test('a merge patch omits the members that its body omits, at any depth, and preserves null', async () => {
  const seen: unknown[] = [];
  await fetch(await serve({ update: ENTRY }, seen), {
    method: 'PATCH',
    headers: { 'Content-Type': 'application/merge-patch+json' },
    body: '{"pages":null,"series":{"part":2},"other":1}',
  });
  expect(seen[0]).toEqual({ id: '7', input: { pages: null, series: { part: 2 } } });
});

test('a PUT with the input type of a PATCH is rejected at startup', () => {
  const schema = buildSchema(SDL);
  Object.assign(schema.getType('EntryChange')?.extensions ?? {}, { changedModel: 'Entry' });
  const route: Route = { ...patch, method: 'put' };
  const start = () =>
    createRest({ schema, routes: [route], basePath: '/v2', info: {}, messages: {} });
  expect(start).toThrow(
    "The REST route PUT /entries/:id must replace the whole resource: don't use a PATCH's input type, or declare the mutation with replaces: true",
  );
  Object.assign(schema.getType('EntryChange')?.extensions ?? {}, { isWhole: true });
  expect(start).not.toThrow();
});

const patchOf = (input: string, field: string) => ({
  ...patch,
  document: patch.document.replace('EntryChange', input).replace('{ update(', `{ ${field}(`),
});
const find = 'query get($like: EntryChange) { find(like: $like) { id } }';
const removeLike = 'mutation remove($id: ID!, $like: EntryChange) { delete(id: $id, like: $like) }';
const NO_BODY = 'cannot have the variable $like: requests with this method have no body';
const MUST_CHANGE = 'unchanged: the input type requires it or gives it a default';

test.each<[message: string, ...routes: readonly Route[]]>([
  [`The REST route GET /entries/:id ${NO_BODY}`, { ...get, document: find }],
  [`The REST route DELETE /entries/:id ${NO_BODY}`, { ...remove, document: removeLike }],
  [
    'The REST route PATCH /entries/:id needs a body: a variable of an input type',
    { ...patch, document: remove.document },
  ],
  [
    `The REST route PATCH /entries/:id can't leave title ${MUST_CHANGE}`,
    patchOf('NewEntry', 'replace'),
  ],
  [`The REST route PATCH /entries/:id can't leave pages ${MUST_CHANGE}`, patchOf('Filled', 'fill')],
  [
    'The REST route GET /entries/:id only reads, so its status must be 200, not 204',
    { ...get, status: 204 },
  ],
  [
    'The REST route POST /entries/:id/purge would return neither an object nor an array: change the return type of delete, or set the status to 204',
    { ...remove, method: 'post', path: '/entries/:id/purge', status: 200 },
  ],
  [
    'The REST routes GET /entries/:id and DELETE /entries/:entry must use the same parameter names',
    get,
    { ...remove, path: '/entries/:entry', document: remove.document.replaceAll('$id', '$entry') },
  ],
  ['There are two REST routes GET /entries/:id', get, remove, get],
])('invalid routes are rejected at startup: %s', (message, ...routes) => {
  expect(() => restOf(...routes)).toThrow(message);
});

test('createEndpoints requires scopesOf if the schema declares scopes', () => {
  const schema = buildSchema('type Book { id: ID! } type Query { book: Book }');
  Object.assign(schema.getQueryType()?.getFields()['book'] ?? {}, {
    extensions: { scopes: ['loans'] },
  });
  const rest = createRest({ schema, basePath: '/v1', info: {}, routes: [] });
  const options = { admit: () => ({ caller: 'ann' }), execute: () => Promise.resolve({}) };
  expect(() => createEndpoints(rest, options)).toThrow(
    new Error('Query.book needs a scope: pass scopesOf to createEndpoints'),
  );
  expect(createEndpoints(rest, { ...options, scopesOf: () => new Set<string>() })).toBeDefined();
});

test('operations on a type without the option resource are tagged with the name of the type', async () => {
  const route = { ...get, document: get.document.replace('id title', 'id') };
  const document: unknown = JSON.parse(await printJson(restOf(route)));
  expect(document).toMatchObject({
    tags: [{ name: 'Entry' }],
    paths: { '/entries/{id}': { get: { operationId: 'get', tags: ['Entry'] } } },
  });
});
