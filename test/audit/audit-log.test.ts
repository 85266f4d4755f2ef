import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createKey } from '../support/keys.ts';
import { UNNOTED, startAuditedAnimals } from '../support/audited-animals.ts';
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
}

/** Sends a request with a unique request id, by which its audit records are found. */
async function send({
  path = '/v1/pets',
  method = 'POST',
  apiKey = gateway.key,
  idempotencyKey,
  body,
}: Sent) {
  const requestId = randomUUID();
  const response = await requestOf(url, apiKey)(path, {
    method,
    headers: {
      'Content-Type': 'application/json',
      'X-Request-Id': requestId,
      ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
    },
    body,
  });
  return { ...response, requestId };
}

const patch = (id: string, body: string, sent: Partial<Sent> = {}) =>
  send({ path: `/v1/pets/${id}`, method: 'PATCH', body, ...sent });
const mutate = (fields: string, sent: Partial<Sent> = {}) =>
  send({ ...operation(`mutation { ${fields} }`), ...sent });

async function recordsOf(requestId: string) {
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

test('the audit log records creates, updates and deletes from both APIs with their caller', async () => {
  const created = await send({ body: '{"name":"Rex"}' });
  const id = idIn(created);
  const patched = await patch(id, '{"name":"Ida"}');
  const updated = await mutate(`updatePet(id: ${id}, input: { name: "Leo" }) { name }`);
  const deleted = await mutate(`gone: deletePet(id: ${id}) { name }`);
  const made = await mutate('createPet(input: { name: "Ann" }) { id }');
  const records = [created, patched, updated, deleted, made].map(({ requestId }) =>
    recordsOf(requestId),
  );
  expect(await Promise.all(records)).toEqual([
    [`createPet create ${id} by 1`],
    [`updatePet update ${id} by 1`],
    [`updatePet update ${id} by 1`],
    [`deletePet delete ${id} by 1`],
    [`createPet create ${idIn(made)} by 1`],
  ]);
});

test('creates and changes that share a statement are each recorded with their own caller', async () => {
  const keys = await Promise.all(Array.from({ length: 4 }, () => createKey(database)));
  const keyAt = (index: number) => keys[index % keys.length] ?? { key: '', id: 0n };
  const created = await Promise.all(
    Array.from({ length: 60 }, (_none, index) =>
      send({ apiKey: keyAt(index).key, body: `{"name":"${index}"}` }),
    ),
  );
  const changed = await Promise.all(
    created.map((each, index) =>
      patch(idIn(each), '{"name":"changed"}', { apiKey: keyAt(index + 1).key }),
    ),
  );
  for (const [index, response] of created.entries()) {
    const id = idIn(response);
    expect(await recordsOf(response.requestId)).toEqual([
      `createPet create ${id} by ${keyAt(index).id}`,
    ]);
    expect(await recordsOf(changed[index]?.requestId ?? '')).toEqual([
      `updatePet update ${id} by ${keyAt(index + 1).id}`,
    ]);
  }
});

test('an idempotent replay of any write is not recorded again in the audit log', async () => {
  const id = await add();
  for (const write of [
    (idempotencyKey: string) => send({ body: '{"name":"Rex"}', idempotencyKey }),
    (idempotencyKey: string) =>
      mutate(`updatePet(id: ${id}, input: { name: "Leo" }) { name }`, { idempotencyKey }),
    (idempotencyKey: string) => mutate(`deletePet(id: ${id}) { name }`, { idempotencyKey }),
  ]) {
    const key = randomUUID();
    const [once, twice] = [await write(key), await write(key)];
    expect(twice.text).toBe(once.text);
    expect(await recordsOf(once.requestId)).toHaveLength(1);
    expect(await recordsOf(twice.requestId)).toEqual([]);
  }
});

test('concurrent requests with one idempotency key are recorded once in the audit log', async () => {
  const idempotencyKey = randomUUID();
  const sent = await Promise.all(
    Array.from({ length: 12 }, () => send({ body: '{"name":"Once"}', idempotencyKey })),
  );
  const ids = new Set(sent.map(idIn));
  const noted = await tables.auditRecord.findMany({ where: { rowId: [...ids].join() } });
  expect([ids.size, noted.length]).toEqual([1, 1]);
});

test('a write that changes nothing is not recorded in the audit log', async () => {
  const id = await add();
  const empty = await patch(id, '{}');
  const once = await mutate(`updatePet(id: ${id}, input: {}) { name }`, {
    idempotencyKey: randomUUID(),
  });
  const missing = await mutate('updatePet(id: "4611686018427387904", input: { name: "a" }) { id }');
  const stale = await mutate(`updatePet(id: ${id}, input: { name: "a" }, expected: ["x"]) { id }`);
  await database.$executeRawUnsafe(
    `ALTER TABLE pets ADD CONSTRAINT no_ghosts CHECK (name <> 'ghost')`,
  );
  const [ghost, beside] = await Promise.all([
    send({ body: '{"name":"ghost"}' }),
    send({ body: '{"name":"no ghost"}' }),
  ]);
  expect([empty, once, ghost, beside].map(({ status }) => status)).toEqual([200, 200, 400, 201]);
  expect(missing.text).toContain('NOT_FOUND');
  expect(stale.text).toContain('PRECONDITION_FAILED');
  for (const { requestId } of [empty, once, missing, stale, ghost]) {
    expect(await recordsOf(requestId)).toEqual([]);
  }
  expect(await recordsOf(beside.requestId)).toEqual([`createPet create ${idIn(beside)} by 1`]);
});

test('writes by Prisma’s engine are recorded in their transaction, even if the resolver opened it', async () => {
  const id = await add();
  const moved = await mutate(`movePet(id: ${id}) { name }`);
  const named = await mutate(`movedName(id: ${id})`);
  expect(named.json).toEqual({ data: { movedName: 'name,Rex' } });
  expect(await recordsOf(moved.requestId)).toEqual([`movePet update ${id} by 1`]);
  expect(await recordsOf(named.requestId)).toEqual([`movedName update ${id} by 1`]);
  const failed = await mutate(`swapPets(id: ${id}, fails: true) { id }`);
  expect(failed.text).toContain('INTERNAL_SERVER_ERROR');
  expect(await recordsOf(failed.requestId)).toEqual([]);
  expect((await gateway.request(`/v1/pets/${id}`)).status).toBe(200);
  const swapped = await mutate(`swapPets(id: ${id}, fails: false) { id }`);
  const other = idIn(swapped);
  expect(await recordsOf(swapped.requestId)).toEqual([
    `swapPets create ${other} by 1`,
    `swapPets delete ${id} by 1`,
  ]);
});

test('each mutation in a request is recorded under its own field name', async () => {
  const { requestId, json } = await mutate(
    `a: createPet(input: { name: "a" }) { id } b: createPet(input: { name: "b" }) { id } movePet(id: ${await add()}) { id }`,
  );
  expect(json).toMatchObject({ data: { a: {}, b: {} } });
  const noted = await recordsOf(requestId);
  expect(noted.map((line) => line.split(' ', 2).join(' '))).toEqual([
    'createPet create',
    'createPet create',
    'movePet update',
  ]);
});

test.each(Object.keys(UNNOTED))(
  'a write that could not be recorded in the audit log is rejected: %s',
  async (how) => {
    const id = await add();
    const before = await tables.auditRecord.count();
    const { text } = await mutate(`write(how: "${how}")`);
    expect(text).toContain('INTERNAL_SERVER_ERROR');
    expect((await gateway.request(`/v1/pets/${id}`)).json).toMatchObject({ name: 'Rex' });
    expect(await database.pet.count({ where: { name: 'Unnoted' } })).toBe(0);
    expect(await tables.auditRecord.count()).toBe(before);
  },
);

test('no change is made if its audit record cannot be inserted', async () => {
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

test('a delete returns the computed field of the deleted audited row, even when it is replayed', async () => {
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
