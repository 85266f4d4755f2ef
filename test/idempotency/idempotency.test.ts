import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createKey } from '../support/keys.ts';
import { restAnimal } from '../support/animals.ts';
import { errorBody } from '../support/error-body.ts';
import { requestOf, startGateway, type Answer } from '../support/gateway.ts';
import { idIn, sendNamed, type NamedRequest } from '../support/named-request.ts';
import { changesOf } from '../support/pet-changes.ts';

const first = await startGateway();
const { database } = first;
// A second one on its database. In processes: test/faults/linearizable-reads.test.ts.
const { url } = await startGateway({ databaseUrl: first.databaseUrl });
const second = { key: first.key, request: requestOf(url, first.key) };

const { newPet, patch, remove, tagOf } = changesOf(first);

const REX = '{"name":"Rex","categoryId":9223372036854775807}';
const IDA = '{"name":"Ida","categoryId":9223372036854775807}';
const REUSED = 'This Idempotency-Key was already used to add another animal';

const send = (sent: Partial<NamedRequest>, gateway: typeof second = first) =>
  sendNamed(gateway, { body: REX, ...sent });
const countOf = (name: string) => database.pet.count({ where: { name } });
const replayedOf = ({ headers }: Answer) => headers.get('Idempotent-Replayed');
const countOfAll = () => database.pet.count();

/** Adds an animal of this name, which names the request as well, by each of two processes in turn. */
function addInTurn(name: string, index: number) {
  const body = `{"name":"${name}","categoryId":1}`;
  return send({ key: name, body }, index % 2 === 0 ? first : second);
}

test('a repeated request adds nothing, and returns the first status, body and Location', async () => {
  const name = randomUUID();
  const animal = { name, categoryId: '-9223372036854775808', status: 'sold' };
  const body = `{"name":"${name}","categoryId":${animal.categoryId},"status":"sold"}`;
  const once = await send({ key: name, body });
  const again = await send({ key: name, body }, second);
  expect([again.status, again.text, again.headers.get('Location')]).toEqual([
    201,
    once.text,
    once.headers.get('Location'),
  ]);
  expect(replayedOf(once)).toBeNull();
  expect(replayedOf(again)).toBe('true');
  expect(once.text).toBe(restAnimal({ id: idIn(once), ...animal }));
  expect(await countOf(name)).toBe(1);
});

test('many concurrent requests with one key on two gateways add one animal', async () => {
  const name = randomUUID();
  const answers = await Promise.all(
    Array.from({ length: 80 }, (_, index) => addInTurn(name, index)),
  );
  const [answer] = answers;
  expect(answers.filter((each) => replayedOf(each) === null)).toHaveLength(1);
  expect(answer?.status).toBe(201);
  expect(answers.map(({ text }) => text)).toEqual(answers.map(() => answer?.text));
  expect(await countOf(name)).toBe(1);
});

test('concurrent requests with different keys add an animal each', async () => {
  const names = Array.from({ length: 80 }, () => randomUUID());
  const once = await Promise.all(names.map(addInTurn));
  const again = await Promise.all(names.toReversed().map(addInTurn));
  expect(new Set(once.map(idIn)).size).toBe(names.length);
  expect(again.map(({ text }) => text).toReversed()).toEqual(once.map(({ text }) => text));
  expect(await database.pet.count({ where: { name: { in: names } } })).toBe(names.length);
});

test.each([
  ['name', IDA],
  ['categoryId', '{"name":"Rex","categoryId":9223372036854775806}'],
  ['status', '{"name":"Rex","categoryId":9223372036854775807,"status":"sold"}'],
])('the same key with another %s returns 422, and adds nothing', async (_what, body) => {
  const key = randomUUID();
  const once = await send({ key });
  const before = await countOfAll();
  const other = await send({ key, body });
  expect([other.status, other.text]).toEqual([
    422,
    errorBody(422, 'IDEMPOTENCY_KEY_REUSED', REUSED),
  ]);
  expect((await send({ key })).text).toBe(once.text);
  expect(await countOfAll()).toBe(before);
});

test('of two concurrent requests with one key and different bodies, one is added and one returns 422', async () => {
  const key = randomUUID();
  const before = await countOfAll();
  const answers = await Promise.all([
    send({ key, body: REX }, first),
    send({ key, body: IDA }, second),
  ]);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201, 422]));
  expect(await countOfAll()).toBe(before + 1);
});

test('an omitted member equals its default in a repeated request', async () => {
  const key = randomUUID();
  const once = await send({ key });
  const again = await send({ key, body: `{"status":"available",${REX.slice(1)}` });
  expect(again.text).toBe(once.text);
});

test('idempotency keys of different callers are independent', async () => {
  const key = randomUUID();
  const { key: apiKey } = await createKey(database, { name: 'other' });
  const [mine, theirs] = [await send({ key }), await send({ key, apiKey })];
  expect([mine.status, theirs.status]).toEqual([201, 201]);
  expect(idIn(theirs)).not.toBe(idIn(mine));
});

test('an idempotency key expires after a day, and not before', async () => {
  const key = randomUUID();
  const once = await send({ key });
  const age = (interval: string) => database.$executeRaw`
    UPDATE _gateway_idempotency_keys SET created_at = now() - ${interval}::interval WHERE name = ${key}`;
  await age('23:59');
  expect((await send({ key })).text).toBe(once.text);
  await age('24:01');
  const anew = await send({ key, body: IDA });
  expect([anew.status, anew.text.includes('Ida')]).toEqual([201, true]);
  expect((await send({ key, body: IDA })).text).toBe(anew.text);
});

test('a request that is rejected or fails claims no key', async () => {
  const key = randomUUID();
  expect((await send({ key, body: '{"name":"Rex"}' })).status).toBe(400);
  await database.$executeRaw`ALTER TABLE pets ADD CONSTRAINT forbidden CHECK (name <> 'Forbidden')`;
  const body = '{"name":"Forbidden","categoryId":1}';
  // Beside one that is taken.
  const other = randomUUID();
  const [failed, beside] = await Promise.all([send({ key, body }), send({ key: other })]);
  await database.$executeRaw`ALTER TABLE pets DROP CONSTRAINT forbidden`;
  expect([failed.status, beside.status]).toEqual([400, 201]);
  expect((await send({ key, body })).status).toBe(201);
});

const newKey = () => ({ 'Idempotency-Key': randomUUID() });

test.each(['PATCH', 'DELETE'])(
  'a repeated %s returns the first response and changes nothing, even if its If-Match no longer matches',
  async (method) => {
    const path = await newPet();
    const headers = { ...newKey(), 'If-Match': await tagOf(path) };
    const change = () =>
      method === 'PATCH' ? patch(path, '{"status":"pending"}', headers) : remove(path, headers);
    const once = await change();
    expect([once.status, replayedOf(once)]).toEqual([method === 'PATCH' ? 200 : 204, null]);
    await patch(path, '{"status":"sold"}');
    const before = await first.request(path);
    const again = await change();
    expect([again.status, again.text, replayedOf(again)]).toEqual([once.status, once.text, 'true']);
    expect(await first.request(path)).toMatchObject({ status: before.status, text: before.text });
  },
);

test('the same key for another change, animal or operation returns 422', async () => {
  const [path, other] = [await newPet(), await newPet()];
  const headers = newKey();
  expect((await patch(path, '{"name":"Max"}', headers)).status).toBe(200);
  const refused = await Promise.all([
    patch(path, '{"name":"Moritz"}', headers),
    patch(other, '{"name":"Max"}', headers),
    remove(path, headers),
    send({ key: headers['Idempotency-Key'] }),
  ]);
  expect(refused.map(({ status }) => status)).toEqual([422, 422, 422, 422]);
  expect((await first.request(path)).text).toContain('"name":"Max"');
  expect((await first.request(other)).text).toContain('"name":"Rex"');
});

test('a change of a missing animal, or with a failed precondition, claims no key', async () => {
  const path = await newPet();
  const headers = newKey();
  const change = (at: string, tag: string) =>
    patch(at, '{"name":"Max"}', { ...headers, 'If-Match': tag });
  expect((await change('/v1/pets/9223372036854775807', '*')).status).toBe(404);
  expect((await change(path, await tagOf(await newPet()))).status).toBe(412);
  expect((await change(path, await tagOf(path))).status).toBe(200);
});
