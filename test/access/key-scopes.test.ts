import { expect, test } from 'vitest';
import { createKey } from '../support/keys.ts';
import { startGateway } from '../support/gateway.ts';

const { database, request } = await startGateway();
const keyWith = async (...scopes: readonly string[]) =>
  (await createKey(database, { scopes: new Set(scopes) })).key;
const [reader, writer, useless] = [await keyWith('read'), await keyWith('write'), await keyWith()];

const asking = (path: string, key: string, init: RequestInit = {}) =>
  request(path, {
    ...init,
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
  });

const PET = JSON.stringify({ name: 'Rex', categoryId: 1 });
const CREATE = JSON.stringify({
  query: 'mutation { createPet(input: { name: "Rex", categoryId: 1 }) { id name } }',
});

test.each([
  ['/v1/pets', {}, 'read'],
  ['/v1/pets/1', {}, 'read'],
  ['/graphql?query={pets{id}}', {}, 'read'],
  ['/v1/pets', { method: 'POST', body: PET }, 'write'],
  ['/graphql', { method: 'POST', body: CREATE }, 'write'],
] as const)('%s %o needs the scope %s, which a key has or not', async (path, init, scope) => {
  const having = await asking(path, scope === 'read' ? reader : writer, init);
  expect(having.status).not.toBe(403);
  for (const key of [scope === 'read' ? writer : reader, useless]) {
    const { status, text, headers } = await asking(path, key, init);
    expect([status, text]).toEqual([
      403,
      expect.stringContaining(`"This request needs the scope ${scope}"`),
    ]);
    expect(headers.get('WWW-Authenticate')).toBe(
      `Bearer error="insufficient_scope", scope="${scope}"`,
    );
  }
});

test('of identical requests at once, each is answered by what its own key allows', async () => {
  for (const path of [
    '/v1/pets?limit=1',
    '/graphql?query={pets(limit:1){id}}',
    '/v1/pets?limit=1',
  ]) {
    const answers = await Promise.all(
      Array.from({ length: 60 }, async (_, index) => {
        const key = index % 2 === 0 ? reader : writer;
        return [key === reader, (await asking(path, key)).status];
      }),
    );
    for (const [isAllowed, status] of answers) {
      expect([path, status]).toEqual([path, isAllowed ? 200 : 403]);
    }
  }
});
