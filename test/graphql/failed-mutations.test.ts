import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { operation, sendNamed } from '../support/named-request.ts';

const gateway = await startGateway();

const add = (alias: string, name: string) =>
  `${alias}: createPet(input: { name: "${name}", categoryId: 1 }) { id name }`;
const NO_ANIMAL = { code: 'NOT_FOUND', status: 404 };

test('mutations before and after one that fails take effect and return data', async () => {
  const key = randomUUID();
  const query = `mutation { ${add('a', 'Ada')} b: updatePet(id: 999, input: { name: "Bob" }) { id } ${add('c', 'Cat')} }`;
  const send = () => sendNamed(gateway, { key, ...operation(query) });
  const { status, json, text } = await send();
  expect(status).toBe(200);
  expect(json).toMatchObject({
    errors: [{ path: ['b'], extensions: NO_ANIMAL }],
    data: { a: { name: 'Ada' }, b: null, c: { name: 'Cat' } },
  });
  for (let time = 2; time <= 3; time += 1) {
    expect((await send()).text).toBe(text);
  }
  expect(await gateway.database.pet.count({})).toBe(2);
});

test.each(['deletePet(id: 999) { id }', 'deletePet(id: "none") { id }'])(
  '%s without a row is null, and a later mutation takes effect once',
  async (failing) => {
    const key = randomUUID();
    const name = randomUUID();
    const query = `mutation { gone: ${failing} ${add('added', name)} }`;
    const once = await sendNamed(gateway, { key, ...operation(query) });
    expect(once.json).toMatchObject({
      errors: [{ path: ['gone'], extensions: NO_ANIMAL }],
      data: { gone: null, added: { name } },
    });
    expect((await sendNamed(gateway, { key, ...operation(query) })).text).toBe(once.text);
    expect(await gateway.database.pet.count({ where: { name } })).toBe(1);
  },
);
