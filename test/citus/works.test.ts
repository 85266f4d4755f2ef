import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { connectClient } from '../support/connect-client.ts';
import type { Answer } from '../support/gateway.ts';
import { memberAt, objectsIn } from '../support/json-members.ts';
import { changesOf } from '../support/pet-changes.ts';
import { idOf, post, runStore, STORES } from '../support/stores.ts';

/* A process that finds its tables distributed. What it promises in detail: SHARDED in vitest.config.ts. */

const [animals] = STORES;
const store = await runStore(animals);
const { request } = store;
const { patch, remove, tagOf } = changesOf({
  request,
  post: (path, body) => post(store, path, body),
});

const MANY = Array.from({ length: 64 }, (_, number) => number);
const create = (name: string, key?: string): Promise<Answer> => {
  const headers = key === undefined ? {} : { 'Idempotency-Key': key };
  return post(store, '/v1/pets', { name, categoryId: 7, status: 'sold' }, headers);
};
const statusesOf = (answers: readonly Answer[]) => [
  ...new Set(answers.map(({ status }) => status)),
];
const textsOf = (answers: readonly Answer[]) => answers.map(({ text }) => text);

test('animals are in shards on both workers', async () => {
  const client = await connectClient(store.env['DATABASE_URL'] ?? '');
  const { rows } = await client.query(
    "SELECT DISTINCT nodeport FROM citus_shards WHERE table_name = 'pets'::regclass",
  );
  expect(rows).toHaveLength(2);
});

test.each([undefined, randomUUID()])(
  'gets and pages show 64 concurrent creates (idempotency key: %j)',
  async (key) => {
    const send = () =>
      Promise.all(MANY.map((number) => create(`pet ${number}`, key && `${key}-${number}`)));
    const created = await send();
    expect(statusesOf(created)).toEqual([201]);
    const ids = created.map(idOf).map(Number);
    const got = await Promise.all(ids.map((id) => request(`/v1/pets/${id}`)));
    expect(textsOf(got)).toEqual(textsOf(created));

    const sorted = ids.toSorted((one, other) => one - other);
    const pages = await Promise.all(
      sorted.slice(0, -3).map((id) => request(`/v1/pets?status=sold&limit=3&after=${id}`)),
    );
    expect(pages.map(({ json }) => objectsIn(json).map(({ id }) => Number(id)))).toEqual(
      sorted.slice(0, -3).map((_, index) => sorted.slice(index + 1, index + 4)),
    );
  },
);

test('concurrent creates under one key create one animal, and another request under it gets 422', async () => {
  const key = randomUUID();
  const created = await Promise.all(MANY.map(() => create('once', key)));
  expect(new Set(textsOf(created)).size).toBe(1);
  expect((await create('once', key)).text).toBe(created[0]?.text);
  expect(await create('another', key)).toMatchObject({ status: 422 });
});

test('of 64 concurrent changes of one version one succeeds, and one of its removals', async () => {
  const path = `/v1/pets/${String(idOf(await create('Rex')))}`;
  const version = { 'If-Match': await tagOf(path) };
  const changed = await Promise.all(
    MANY.map((number) =>
      patch(path, `{"name":"Max ${number}"}`, { ...version, 'Idempotency-Key': randomUUID() }),
    ),
  );
  expect(changed.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(new Set(statusesOf(changed))).toEqual(new Set([200, 412]));
  expect((await remove(path, version)).status).toBe(412);
  const removing = { 'If-Match': await tagOf(path), 'Idempotency-Key': randomUUID() };
  expect(statusesOf(await Promise.all(MANY.map(() => remove(path, removing))))).toEqual([204]);
  expect((await request(path)).status).toBe(404);
});

test('each field of a mutation runs', async () => {
  const fields = [1, 2, 3].map(
    (number) => `n${number}: createPet(input: { name: "n${number}", categoryId: 7 }) { name }`,
  );
  const { json } = await post(store, '/graphql', { query: `mutation { ${fields.join(' ')} }` });
  expect(memberAt(json, 'data')).toEqual({
    n1: { name: 'n1' },
    n2: { name: 'n2' },
    n3: { name: 'n3' },
  });
});
