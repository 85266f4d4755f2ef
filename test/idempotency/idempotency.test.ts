import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createKey } from '../support/keys.ts';
import { restAnimal } from '../support/animals.ts';
import { errorBody } from '../support/error-body.ts';
import { requestOf, startGateway, type Answer } from '../support/gateway.ts';
import { idIn, sendNamed, type NamedRequest } from '../support/named-request.ts';

const first = await startGateway();
const { database } = first;
// A second one on its database; those of test/faults/idempotency-processes.test.ts are processes of their own.
const { url } = await startGateway({ databaseUrl: first.databaseUrl });
const second = { key: first.key, request: requestOf(url, first.key) };

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

test('a request that is sent again adds nothing, and has the first answer: status, body, Location', async () => {
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

test('many that are under way at once, in several processes and batches, add one animal', async () => {
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

test('of many at once with other names each adds its own', async () => {
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
])('the same key with another %s is 422, and adds nothing', async (_what, body) => {
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

test('of two with the same key and other bodies at once one is added, and one is 422', async () => {
  const key = randomUUID();
  const before = await countOfAll();
  const answers = await Promise.all([
    send({ key, body: REX }, first),
    send({ key, body: IDA }, second),
  ]);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201, 422]));
  expect(await countOfAll()).toBe(before + 1);
});

test('what is left out is the same as its default', async () => {
  const key = randomUUID();
  const once = await send({ key });
  const again = await send({ key, body: `{"status":"available",${REX.slice(1)}` });
  expect(again.text).toBe(once.text);
});

test('a key is the caller’s own: another’s adds another animal', async () => {
  const key = randomUUID();
  const { key: apiKey } = await createKey(database, { name: 'other' });
  const [mine, theirs] = [await send({ key }), await send({ key, apiKey })];
  expect([mine.status, theirs.status]).toEqual([201, 201]);
  expect(idIn(theirs)).not.toBe(idIn(mine));
});

test('a key is forgotten after a day, and not before', async () => {
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

test('a request that is refused, or fails, takes no key', async () => {
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
