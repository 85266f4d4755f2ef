import {
  getNamedType,
  isListType,
  isNonNullType,
  isObjectType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import { parseExactly, isJsonObject } from '@store-gateway/ops';
import { createdPath, linkOf } from '../support/links.ts';
import { fillStores, ROWS, idOf, post, requiredMembers } from '../support/stores.ts';
import type { Answer } from '../support/gateway.ts';

/*
 * What every store guarantees for its resources. All requests and expected responses are derived from the store's own
 * OpenAPI document and GraphQL schema.
 */

const stores = await fillStores();
const EACH_RESOURCE = stores.flatMap((store) =>
  store.resources.map((resource) => ({
    name: store.name,
    plural: resource.plural,
    store,
    resource,
    texts: (store.added.get(resource.plural) ?? []).map(({ text }) => text),
  })),
);

describe.each(EACH_RESOURCE)('$name: $plural', ({ store, resource, plural, texts }) => {
  const { request } = store;
  const { list, create, get } = resource;
  const listed = async () => (await request(`${list.path}?limit=100`)).text;

  test('a created row is returned and listed as it was sent, to the last digit', async () => {
    for (const [number, added] of (store.added.get(plural) ?? []).entries()) {
      const row = parseExactly(added.text);
      const sent = Object.entries(store.body(resource, number)).filter(
        ([member]) => !resource.references.some((reference) => reference.member === member),
      );
      expect(row).toMatchObject(Object.fromEntries(sent));
      expect([added.status, String(idOf(added))]).toEqual([
        201,
        expect.stringMatching(/^90071992547409\d\d$/),
      ]);
      const got = await request(createdPath(added, create.path));
      expect([got.status, got.text]).toEqual([200, added.text]);
    }
    expect(await listed()).toContain(`[${texts.join(',')}`);
  });

  test('pages of one row contain each row once', async () => {
    const rows: string[] = [];
    let path: string | undefined = `${list.path}?limit=1`;
    while (path !== undefined && rows.length <= ROWS) {
      const page: Answer = await request(path);
      rows.push(page.text.slice(1, -1));
      path = linkOf(page, 'next', path);
    }
    expect(rows.slice(0, ROWS)).toEqual(texts);
  });

  test('GraphQL returns the same rows as REST, in the same order', async () => {
    const { text } = await post(store, '/graphql', {
      query: `{ ${plural}(limit: ${ROWS}) { id } }`,
    });
    const rows = texts.map((row) => ({ id: String(idOf({ text: row })) }));
    expect(text).toBe(JSON.stringify({ data: { [plural]: rows } }));
  });

  test('one Idempotency-Key creates one row, and rejects a different body', async () => {
    const headers = { 'Idempotency-Key': plural };
    const sent = Array.from({ length: 5 }, () =>
      post(store, create.path, store.body(resource, 100), headers),
    );
    const answers = await Promise.all(sent);
    expect(answers.map(({ status }) => status)).toEqual(Array(5).fill(201));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    const replayed = answers.filter((answer) => answer.headers.has('Idempotent-Replayed'));
    expect(replayed).toHaveLength(4);
    expect(await listed()).toMatch(new RegExp(`^[^]*${RegExp.escape(answers[0]?.text ?? '')}\\]$`));
    const other = await post(store, create.path, store.body(resource, 101), headers);
    expect(other).toMatchObject({ status: 422, json: { code: 'IDEMPOTENCY_KEY_REUSED' } });
  });

  test.each<[string, RequestInit & { path?: string }, number, string, string]>([
    ['a limit below 1', { path: `${list.path}?limit=0` }, 400, 'BAD_USER_INPUT', 'limit'],
    ['a limit over 100', { path: `${list.path}?limit=101` }, 400, 'BAD_USER_INPUT', 'limit'],
    ['an invalid cursor', { path: `${list.path}?after=x` }, 400, 'BAD_USER_INPUT', 'after'],
    ['an invalid id', { path: `${list.path}/x` }, 404, 'NOT_FOUND', 'There is no'],
    ['an unknown id', { path: `${list.path}/1` }, 404, 'NOT_FOUND', 'There is no'],
    ['an unknown path', { path: `${list.path}/1/x` }, 404, 'NOT_FOUND', ''],
    ['an unknown method', { method: 'DELETE' }, 405, 'METHOD_NOT_ALLOWED', 'GET, HEAD, POST'],
    ['no JSON', { method: 'POST', body: '{' }, 400, 'BAD_USER_INPUT', 'JSON'],
    ['no key', { headers: { Authorization: '' } }, 401, 'UNAUTHENTICATED', 'required'],
  ])('%s is rejected', async (_what, { path = list.path, ...init }, status, code, part) => {
    const headers = new Headers(init.headers);
    headers.set('Content-Type', 'application/json');
    const { text, ...refused } = await request(path, { ...init, headers });
    expect([refused.status, text]).toEqual([status, expect.stringContaining(`"code":"${code}"`)]);
    expect(text).toContain(part);
  });

  test('the error for a missing required member names the member', async () => {
    const required = requiredMembers(resource);
    expect(required).not.toEqual([]);
    for (const member of required) {
      const body = { ...store.body(resource, 200), [member]: undefined };
      const { status, text } = await post(store, create.path, body);
      expect([status, text]).toEqual([400, expect.stringContaining(`${member} must be`)]);
      expect(text).toContain('"code":"BAD_USER_INPUT"');
    }
  });

  test('a reference to a nonexistent row and a duplicate are rejected', async () => {
    const refused = resource.references.map(async ({ member }) => {
      const body = { ...store.body(resource, 300), [member]: 1 };
      return [member, await post(store, create.path, body)] as const;
    });
    for (const [member, { status, text }] of await Promise.all(refused)) {
      expect([status, text]).toEqual([400, expect.stringContaining(`"message":"${member} `)]);
    }
    const again = await post(store, create.path, store.body(resource, 0));
    expect(again.status).toBe(create.responses.has(409) ? 409 : 201);
  });

  test('a deprecated operation has the documented Deprecation and Sunset headers', async () => {
    for (const { path, responses } of [list, get]) {
      const { headers } = await request(
        path.replace(/\{\w+\}/, String(idOf({ text: texts[0] ?? '' }))),
      );
      for (const name of ['Deprecation', 'Sunset']) {
        const documented = responses.get(200)?.headers[name.toLowerCase()];
        const example = isJsonObject(documented) ? documented['example'] : null;
        expect([path, headers.get(name)]).toEqual([path, example]);
      }
    }
  });

  test('a relation leads to a row of a different type and back', async () => {
    for (const { there, back } of relationsOf(store.schema, plural)) {
      const query = `{ ${plural}(limit: 1) { id ${there} { id ${back}(limit: 100) { id } } } }`;
      const { text } = await post(store, '/graphql', { query });
      const id = String(idOf({ text: texts[0] ?? '' }));
      const [row, other = ''] = text.split(`"${there}":{`);
      expect(row).toBe(`{"data":{"${plural}":[{"id":"${id}",`);
      expect(other.slice(other.indexOf(`"${back}":[`))).toContain(`{"id":"${id}"}`);
    }
  });
});

test('the tested stores have relations, references, unique values and deprecated operations', () => {
  const resources = EACH_RESOURCE.map(({ resource }) => resource);
  expect(
    EACH_RESOURCE.some(({ store, plural }) => relationsOf(store.schema, plural).length > 0),
  ).toBe(true);
  expect(resources.some(({ references }) => references.length > 0)).toBe(true);
  expect(resources.some(({ create }) => create.responses.has(409))).toBe(true);
  expect(resources.some(({ get }) => 'sunset' in (get.responses.get(200)?.headers ?? {}))).toBe(
    true,
  );
});

/** Returns a listed type's to-one relations to other types, and the lists on those types that lead back. */
function relationsOf(
  schema: GraphQLSchema,
  plural: string,
): { readonly there: string; readonly back: string }[] {
  const type = rowOf(schema.getQueryType()?.getFields()[plural]?.type);
  return Object.entries(type?.getFields() ?? {}).flatMap(([there, field]) => {
    const other = isList(field.type) ? undefined : rowOf(field.type);
    return Object.entries(other?.getFields() ?? {})
      .filter(([, { type: listed }]) => isList(listed) && rowOf(listed) === type)
      .map(([back]) => ({ there, back }));
  });
}

function rowOf(type: GraphQLOutputType | undefined): GraphQLObjectType | undefined {
  const named = getNamedType(type);
  return isObjectType(named) ? named : undefined;
}

function isList(type: GraphQLOutputType): boolean {
  return isListType(isNonNullType(type) ? type.ofType : type);
}
