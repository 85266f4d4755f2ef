import { expect, test } from 'vitest';
import { changesOf, idIn } from '../support/pet-changes.ts';
import { startGateway } from '../support/gateway.ts';

const gateway = await startGateway();
const { request } = gateway;
const { newPet, patch, remove } = changesOf(gateway);

test('a PATCH changes the members that it contains and leaves the others unchanged', async () => {
  const path = await newPet();
  const before = (await request(path)).text;
  const changed = await patch(path, '{"categoryId":9007199254740993,"status":"sold"}');
  const sold = before
    .replace('"categoryId":7', '"categoryId":9007199254740993')
    .replace('"status":"available"', '"status":"sold"');
  expect(sold).toContain(
    `"id":${idIn(path)},"name":"Rex","categoryId":9007199254740993,"status":"sold"`,
  );
  expect([changed.status, changed.text]).toEqual([200, sold]);
  expect((await request(path)).text).toBe(sold);
});

test.each([
  ['{"name":null}', 'name must be'],
  ['{"name":""}', 'name must be'],
  ['{"status":"gone"}', 'status must be one of available, pending, sold'],
  ['{"categoryId":null,"status":null}', 'categoryId must be'],
  ['[]', ''],
])(
  "a PATCH with %s returns 400 with the invalid member's name and changes nothing",
  async (body, message) => {
    const path = await newPet();
    const before = (await request(path)).text;
    const { status, text } = await patch(path, body);
    expect([status, text]).toEqual([400, expect.stringContaining(message)]);
    expect(text).toContain('"code":"BAD_USER_INPUT"');
    expect((await request(path)).text).toBe(before);
  },
);

test.each(['/v1/pets/9223372036854775807', '/v1/pets/x'])(
  'a PATCH and a DELETE of %s return 404',
  async (path) => {
    for (const answer of [await patch(path, '{"status":"sold"}'), await remove(path)]) {
      expect(answer).toMatchObject({
        status: 404,
        json: { code: 'NOT_FOUND', message: 'There is no animal with this id' },
      });
    }
  },
);

test('a DELETE that is concurrent with a PATCH of the same animal removes it', async () => {
  const path = await newPet();
  const [changed, removed] = await Promise.all([patch(path, '{"status":"sold"}'), remove(path)]);
  expect([200, 404]).toContain(changed.status);
  expect(removed.status).toBe(204);
  expect((await request(path)).status).toBe(404);
});

test('updatePet and deletePet only change a row whose version is one of the expected versions', async () => {
  const id = idIn(await newPet());
  const { text } = await gateway.graphql(`{ pet(id: "${id}") { version } }`);
  const version = /"version":"([^"]+)"/.exec(text)?.[1] ?? '';
  const update = `mutation ($expected: [String!]) {
    updatePet(id: "${id}", input: { status: sold }, expected: $expected) { id status version }
  }`;
  const changed = await gateway.graphql(update, { expected: [version] });
  expect(changed.json).toMatchObject({ data: { updatePet: { id, status: 'sold' } } });
  expect((await gateway.graphql(update, { expected: [version] })).json).toMatchObject({
    errors: [{ extensions: { code: 'PRECONDITION_FAILED' } }],
  });
  const current = /"version":"([^"]+)"/.exec(changed.text)?.[1];
  const removed = await gateway.graphql(
    `mutation { deletePet(id: "${id}", expected: ["${version}", "${current}"]) { name status } }`,
  );
  expect(removed.json).toEqual({ data: { deletePet: { name: 'Rex', status: 'sold' } } });
  expect((await gateway.graphql(update)).json).toMatchObject({
    errors: [{ extensions: { code: 'NOT_FOUND' } }],
  });
});

test("updatePet rejects null for a required field and reports the field's path", async () => {
  const id = idIn(await newPet());
  const { json } = await gateway.graphql(
    `mutation { updatePet(id: "${id}", input: { name: null }) { id } }`,
  );
  expect(json).toMatchObject({
    errors: [{ extensions: { code: 'BAD_USER_INPUT', faults: [{ path: ['input', 'name'] }] } }],
  });
});
