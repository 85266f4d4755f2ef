import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createKey } from '../support/keys.ts';
import { startAuditedAnimals } from '../support/audited-animals.ts';
import { UNNOTED } from '../support/audited-animals-schema.ts';
import { requestOf } from '../support/gateway.ts';
import { idIn, operation, sendNamed } from '../support/named-request.ts';

const gateway = await startAuditedAnimals();
const { tables, database, url } = gateway;

interface Sent {
  readonly path?: string;
  readonly method?: string;
  readonly body: string;
  readonly apiKey?: string;
  readonly idempotencyKey?: string;
  readonly ifMatch?: string;
}

/** Sends a request whose id names what it has changed. */
async function send({ path = '/v1/pets', method = 'POST', apiKey, ...sent }: Sent) {
  const requestId = randomUUID();
  const response = await requestOf(url, apiKey ?? gateway.key)(path, {
    method,
    headers: {
      'Content-Type': 'application/json',
      'X-Request-Id': requestId,
      ...(sent.idempotencyKey !== undefined && { 'Idempotency-Key': sent.idempotencyKey }),
      ...(sent.ifMatch !== undefined && { 'If-Match': sent.ifMatch }),
    },
    body: sent.body,
  });
  return { ...response, requestId };
}

const mutate = (fields: string, sent: Partial<Sent> = {}) =>
  send({ ...operation(`mutation { ${fields} }`), ...sent });

async function notedOf(requestId: string) {
  const records = await tables.auditRecord.findMany({
    where: { requestId },
    orderBy: { id: 'asc' },
  });
  return records.map(({ operation: field, change, model, rowId, caller, keyId }) => {
    expect([model, caller]).toEqual(['Pet', String(keyId)]);
    return `${field} ${change} ${rowId} by ${keyId}`;
  });
}

const add = async (name = 'Rex'): Promise<string> =>
  idIn(await send({ body: JSON.stringify({ name }) }));

test('a create, an update and a delete are noted on both surfaces, with who has asked for them', async () => {
  const created = await send({ body: '{"name":"Rex"}' });
  const id = idIn(created);
  const patched = await send({
    path: `/v1/pets/${id}`,
    method: 'PATCH',
    body: '{"name":"Ida"}',
  });
  const updated = await mutate(`updatePet(id: ${id}, input: { name: "Leo" }) { name }`);
  const deleted = await mutate(`gone: deletePet(id: ${id}) { name }`);
  const made = await mutate('createPet(input: { name: "Ann" }) { name }');
  expect(await notedOf(created.requestId)).toEqual([`createPet create ${id} by 1`]);
  expect(await notedOf(patched.requestId)).toEqual([`updatePet update ${id} by 1`]);
  expect(await notedOf(updated.requestId)).toEqual([`updatePet update ${id} by 1`]);
  expect(await notedOf(deleted.requestId)).toEqual([`deletePet delete ${id} by 1`]);
  expect(await notedOf(made.requestId)).toEqual([
    expect.stringMatching(/^createPet create \d+ by 1$/),
  ]);
});

test('a change of nothing is not noted', async () => {
  const id = await add();
  const patched = await send({ path: `/v1/pets/${id}`, method: 'PATCH', body: '{}' });
  const once = await mutate(`updatePet(id: ${id}, input: {}) { name }`, {
    idempotencyKey: randomUUID(),
  });
  expect([patched.status, once.status]).toEqual([200, 200]);
  expect([...(await notedOf(patched.requestId)), ...(await notedOf(once.requestId))]).toEqual([]);
});

test('each of many creates and changes that share statements is noted as its own caller’s', async () => {
  const keys = await Promise.all(Array.from({ length: 4 }, () => createKey(database)));
  const created = await Promise.all(
    Array.from({ length: 60 }, (_none, number) =>
      send({ apiKey: keys[number % 4]?.key ?? '', body: `{"name":"${number}"}` }),
    ),
  );
  const changed = await Promise.all(
    created.map((each, number) =>
      send({
        apiKey: keys[(number + 1) % 4]?.key ?? '',
        path: `/v1/pets/${idIn(each)}`,
        method: 'PATCH',
        body: '{"name":"changed"}',
      }),
    ),
  );
  for (const [number, response] of created.entries()) {
    const { requestId } = response;
    const id = idIn(response);

    expect(await notedOf(requestId)).toEqual([`createPet create ${id} by ${keys[number % 4]?.id}`]);
    expect(await notedOf(changed[number]?.requestId ?? '')).toEqual([
      `updatePet update ${id} by ${keys[(number + 1) % 4]?.id}`,
    ]);
  }
});

test('a replay is not noted again, of any write', async () => {
  const idempotencyKey = randomUUID();
  const first = await send({ body: '{"name":"Rex"}', idempotencyKey });
  const again = await send({ body: '{"name":"Rex"}', idempotencyKey });
  const id = idIn(first);
  expect(idIn(again)).toBe(id);
  expect([await notedOf(first.requestId), await notedOf(again.requestId)]).toEqual([
    [`createPet create ${id} by 1`],
    [],
  ]);
  for (const query of [
    `updatePet(id: ${id}, input: { name: "Leo" }) { name }`,
    `deletePet(id: ${id}) { name }`,
  ]) {
    const named = { idempotencyKey: randomUUID() };
    const [once, twice] = [await mutate(query, named), await mutate(query, named)];
    expect(twice.text).toBe(once.text);
    expect((await notedOf(once.requestId)).length).toBe(1);
    expect(await notedOf(twice.requestId)).toEqual([]);
  }
});

test('parallel requests under one idempotency key are noted once', async () => {
  const idempotencyKey = randomUUID();
  const sent = await Promise.all(
    Array.from({ length: 12 }, () => send({ body: '{"name":"Once"}', idempotencyKey })),
  );
  const ids = new Set(sent.map(idIn));
  const noted = await tables.auditRecord.findMany({ where: { rowId: [...ids].join() } });
  expect([ids.size, noted.length]).toEqual([1, 1]);
});

test('what changes nothing is not noted: no such row, a precondition, a violated constraint', async () => {
  const id = await add();
  const missing = await mutate('updatePet(id: "4611686018427387904", input: { name: "a" }) { id }');
  const stale = await mutate(`updatePet(id: ${id}, input: { name: "a" }, expected: ["x"]) { id }`);
  await database.$executeRawUnsafe(
    `ALTER TABLE pets ADD CONSTRAINT no_ghosts CHECK (name <> 'ghost')`,
  );
  const [ghost, beside] = await Promise.all([
    send({ body: '{"name":"ghost"}' }),
    send({ body: '{"name":"no ghost"}' }),
  ]);
  expect(missing.text).toContain('NOT_FOUND');
  expect(stale.text).toContain('PRECONDITION_FAILED');
  expect([ghost.status, beside.status]).toEqual([400, 201]);
  for (const { requestId } of [missing, stale, ghost]) {
    expect(await notedOf(requestId)).toEqual([]);
  }
  expect(await notedOf(beside.requestId)).toEqual([`createPet create ${idIn(beside)} by 1`]);
});

test('writes of the engine are noted in their transaction, which may be the resolver’s', async () => {
  const id = await add();
  const moved = await mutate(`movePet(id: ${id}) { name }`);
  const named = await mutate(`movedName(id: ${id})`);
  expect(named.json).toEqual({ data: { movedName: 'name,Rex' } });
  expect(await notedOf(moved.requestId)).toEqual([`movePet update ${id} by 1`]);
  expect(await notedOf(named.requestId)).toEqual([`movedName update ${id} by 1`]);
  const failed = await mutate(`swapPets(id: ${id}, fails: true) { id }`);
  expect(failed.text).toContain('INTERNAL_SERVER_ERROR');
  expect(await notedOf(failed.requestId)).toEqual([]);
  expect((await gateway.request(`/v1/pets/${id}`)).status).toBe(200);
  const swapped = await mutate(`swapPets(id: ${id}, fails: false) { id }`);
  const other = idIn(swapped);
  expect(await notedOf(swapped.requestId)).toEqual([
    `swapPets create ${other} by 1`,
    `swapPets delete ${id} by 1`,
  ]);
});

test('several mutations of a request are noted as what they are', async () => {
  const { requestId, json } = await mutate(
    `a: createPet(input: { name: "a" }) { id } b: createPet(input: { name: "b" }) { id } movePet(id: ${await add()}) { id }`,
  );
  expect(json).toMatchObject({ data: { a: {}, b: {} } });
  const noted = await notedOf(requestId);
  expect(noted.map((line) => line.split(' ', 2).join(' '))).toEqual([
    'createPet create',
    'createPet create',
    'movePet update',
  ]);
});

test.each(Object.keys(UNNOTED))('a write that could not be noted is refused: %s', async (how) => {
  const id = await add();
  const before = await tables.auditRecord.count();
  const { text } = await mutate(`write(how: "${how}")`);
  expect(text).toContain('INTERNAL_SERVER_ERROR');
  expect((await gateway.request(`/v1/pets/${id}`)).json).toMatchObject({ name: 'Rex' });
  expect(await database.pet.count({ where: { name: 'Unnoted' } })).toBe(0);
  expect(await tables.auditRecord.count()).toBe(before);
});

test('a table that takes no notes takes no changes either', async () => {
  const own = await startAuditedAnimals();
  const sendOwn = (body: string) => sendNamed(own, { body });
  const id = idIn(await sendOwn('{"name":"Rex"}'));
  await own.database.$executeRawUnsafe(
    'ALTER TABLE _gateway_audit_log ADD CHECK (change = $$none$$) NOT VALID',
  );
  expect((await sendOwn('{"name":"Ida"}')).status).not.toBe(201);
  const moved = await sendNamed(own, operation(`mutation { movePet(id: ${id}) { id } }`));
  expect(moved.json).toMatchObject({ data: { movePet: null } });
  expect(await own.database.pet.findMany({ where: {} })).toMatchObject([{ categoryId: 1n }]);
});

test('a field of its own is computed of a row that is removed, the first time and again', async () => {
  const id = await add();
  const remove = (key: string) => mutate(`deletePet(id: ${id}${key}) { id initial }`);
  const removed = { data: { deletePet: { id, initial: 'R' } } };
  const keyed = ', idempotencyKey: "initial"';
  expect([(await remove(keyed)).json, (await remove(keyed)).json]).toEqual([removed, removed]);
  const other = await add();
  expect((await mutate(`deletePet(id: ${other}) { initial }`)).json).toEqual({
    data: { deletePet: { initial: 'R' } },
  });
});
