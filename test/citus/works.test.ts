import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { expect, test } from 'vitest';
import { onFileFinished } from '../support/clean-up.ts';
import { idOf, post } from '../support/filled-stores.ts';
import type { Answer } from '../support/gateway.ts';
import { memberAt, objectsIn } from '../support/json-members.ts';
import { changesOf } from '../support/pet-changes.ts';
import { runStore, STORES } from '../support/stores.ts';

/* Every kind of request, alone and many at once, of a service that has found its tables distributed. */

const [animals] = STORES;
if (animals === undefined) {
  throw new Error('there is no store');
}
const store = await runStore(animals);
const { request } = store;
const { patch, remove, tagOf } = changesOf({
  request,
  post: (path, body) => post(store, path, body),
});
const client = new Client(store.env['DATABASE_URL']);
await client.connect();
onFileFinished(() => client.end());

const MANY = Array.from({ length: 64 }, (_, number) => number);

function create(name: string, key?: string, status = 'available'): Promise<Answer> {
  const headers = { ...(key !== undefined && { 'Idempotency-Key': key }) };
  return post(store, '/v1/pets', { name, categoryId: 7, status }, headers);
}

/** Adds one and returns its path. */
async function newPet(name = 'Rex'): Promise<string> {
  return `/v1/pets/${String(idOf(await create(name)))}`;
}

const nameIn = ({ json }: Answer) => memberAt(json, 'name');
const idsIn = ({ json }: Answer) => objectsIn(json).map(({ id }) => Number(id));
const statusesOf = (answers: readonly Answer[]) => [
  ...new Set(answers.map(({ status }) => status)),
];

function graphql(query: string): Promise<Answer> {
  return post(store, '/graphql', { query });
}

async function idsBy(sql: string): Promise<number[]> {
  const { rows } = await client.query<{ id: string }>(sql);
  return rows.map(({ id }) => Number(id));
}

test('the animals are in shards on both workers', async () => {
  const { rows } = await client.query(
    "SELECT DISTINCT nodeport FROM citus_shards WHERE table_name = 'pets'::regclass",
  );
  expect(rows).toHaveLength(2);
});

test('one create, and one get of it', async () => {
  const path = await newPet('alone');
  expect(await request(path)).toMatchObject({
    status: 200,
    json: { name: 'alone', categoryId: 7 },
  });
  expect(await request('/v1/pets/999999999')).toMatchObject({ status: 404 });
});

test('a create under a key, again, at once, and for another animal', async () => {
  const key = randomUUID();
  const once = await create('once', key);
  expect(once.status).toBe(201);
  const again = await Promise.all(MANY.map(() => create('once', key)));
  expect(new Set(again.map(({ text }) => text))).toEqual(new Set([once.text]));
  expect(await create('another', key)).toMatchObject({ status: 422 });
  const together = randomUUID();
  const answers = await Promise.all(MANY.map(() => create('together', together)));
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  expect(await idsBy("SELECT id FROM pets WHERE name IN ('once', 'another')")).toHaveLength(1);
  expect(await idsBy("SELECT id FROM pets WHERE name = 'together'")).toHaveLength(1);
});

test.each(['without keys', 'under keys'])('64 creates at once %s', async (how) => {
  const key = how === 'under keys' ? randomUUID() : undefined;
  const keyOf = (number: number) => key && `${key}-${number}`;
  const send = () => Promise.all(MANY.map((number) => create(`${how} ${number}`, keyOf(number))));
  const answers = await send();
  expect(statusesOf(answers)).toEqual([201]);
  expect(answers.map(nameIn)).toEqual(MANY.map((number) => `${how} ${number}`));
  expect(new Set(answers.map(idOf)).size).toBe(MANY.length);
  const got = await Promise.all(
    answers.map((answer) => request(`/v1/pets/${String(idOf(answer))}`)),
  );
  expect(got.map(({ text }) => text)).toEqual(answers.map(({ text }) => text));
  const again = key === undefined ? answers : await send();
  expect(again.map(({ text }) => text)).toEqual(answers.map(({ text }) => text));
});

test('one list and 64 pages at once, forwards, backwards, filtered, and by ids', async () => {
  await Promise.all(
    MANY.map((number) =>
      create(`listed ${number}`, undefined, number % 3 === 0 ? 'sold' : 'pending'),
    ),
  );
  const all = await idsBy('SELECT id FROM pets ORDER BY id');
  const sold = await idsBy("SELECT id FROM pets WHERE status = 'sold' ORDER BY id");
  expect(idsIn(await request('/v1/pets'))).toEqual(all.slice(0, 20));
  expect(idsIn(await request('/v1/pets?status=sold&limit=5'))).toEqual(sold.slice(0, 5));
  const pages = await Promise.all(
    MANY.flatMap((number) => [
      request(`/v1/pets?limit=3&after=${String(all[number])}`),
      request(`/v1/pets?limit=3&status=sold&after=${String(all[number])}`),
    ]),
  );
  expect(pages.map(idsIn)).toEqual(
    MANY.flatMap((number) =>
      [all, sold].map((ids) => ids.filter((id) => id > Number(all[number])).slice(0, 3)),
    ),
  );
  const wanted = [40, 3, 17, 9].map((place) => all[place]);
  expect(
    idsIn(await request(`/v1/pets?${wanted.map((id) => `id=${String(id)}`).join('&')}`)),
  ).toEqual([3, 9, 17, 40].map((place) => all[place]));
  const { json } = await graphql(
    '{ petsConnection(last: 3, status: sold) { edges { node { id } } } }',
  );
  const edges = objectsIn(memberAt(json, 'data', 'petsConnection', 'edges'));
  expect(edges.map((edge) => Number(memberAt(edge, 'node', 'id')))).toEqual(sold.slice(-3));
});

test('64 gets, changes, and removals at once', async () => {
  const paths = await Promise.all(MANY.map((number) => newPet(`changed ${number}`)));
  const got = await Promise.all(paths.map((path) => request(path)));
  expect(got.map(nameIn)).toEqual(MANY.map((number) => `changed ${number}`));
  const changed = await Promise.all(paths.map((path) => patch(path, '{"status":"sold"}')));
  expect(changed.map(({ json }) => json)).toEqual(
    got.map(({ json }) => Object.assign({}, json, { status: 'sold' })),
  );
  expect(statusesOf(await Promise.all(paths.map((path) => remove(path))))).toEqual([204]);
  expect(statusesOf(await Promise.all(paths.map((path) => request(path))))).toEqual([404]);
});

test('a change and a removal under keys happen once, and say so again', async () => {
  const path = await newPet();
  const changing = { 'Idempotency-Key': randomUUID() };
  const changed = await patch(path, '{"name":"Max"}', changing);
  expect(changed).toMatchObject({ status: 200, json: { name: 'Max' } });
  expect((await patch(path, '{"name":"Rex"}')).status).toBe(200);
  expect((await patch(path, '{"name":"Max"}', changing)).text).toBe(changed.text);
  expect(await patch(path, '{"name":"Tom"}', changing)).toMatchObject({ status: 422 });
  expect(nameIn(await request(path))).toBe('Rex');
  const removing = { 'Idempotency-Key': randomUUID() };
  const removed = await Promise.all(MANY.map(() => remove(path, removing)));
  expect(statusesOf(removed)).toEqual([204]);
  expect((await remove(path)).status).toBe(404);
});

test.each([{}, { 'Idempotency-Key': randomUUID() }])(
  'If-Match lets one of 64 changes at once pass, and no removal of what was (%j)',
  async (headers) => {
    const path = await newPet();
    const tag = await tagOf(path);
    const key = headers['Idempotency-Key'];
    const answers = await Promise.all(
      MANY.map((number) =>
        patch(path, `{"name":"Max ${number}"}`, {
          'If-Match': tag,
          ...(key !== undefined && { 'Idempotency-Key': `${key}-${number}` }),
        }),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(new Set(statusesOf(answers))).toEqual(new Set([200, 412]));
    expect((await remove(path, { ...headers, 'If-Match': tag })).status).toBe(412);
    expect((await remove(path, { 'If-Match': await tagOf(path) })).status).toBe(204);
  },
);

test('a mutation of several fields does each', async () => {
  const fields = [1, 2, 3].map(
    (number) => `n${number}: createPet(input: { name: "n${number}", categoryId: 7 }) { name }`,
  );
  const { json } = await graphql(`mutation { ${fields.join(' ')} }`);
  expect(json).toEqual({ data: { n1: { name: 'n1' }, n2: { name: 'n2' }, n3: { name: 'n3' } } });
});
