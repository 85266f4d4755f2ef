import { afterAll, beforeAll, expect, test } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { CLIENTS, type RestClient } from './rest/clients.ts';
import { compiledPrograms } from './rest/workspace.ts';
import { documentedClients, installedVersion } from './table.ts';

const cleanUp = new AsyncDisposableStack();
let programs: Awaited<ReturnType<typeof compiledPrograms>>;
beforeAll(async () => {
  programs = cleanUp.use(await compiledPrograms());
}, 180_000);
afterAll(() => cleanUp.disposeAsync());

/** What the service says of an animal without a name. Hey API's validator doesn't send it. */
const REFUSED = {
  code: 'BAD_USER_INPUT',
  message: 'name must be a string of 1 to 255 characters, without NUL or unpaired surrogates',
  status: 400,
};
/** What it says of a wrong key. */
const UNKNOWN = { code: 'UNAUTHENTICATED', message: 'The API key is not valid', status: 401 };

/** The row of a client in docs/rest-client.md, by what its program told. */
async function rowOf({ folder, name, packages }: RestClient) {
  const gateway = await startGateway();
  for (const animal of ['Ada', 'Bo', 'Cy', 'Di']) {
    await gateway.post('/v1/pets', { name: animal, categoryId: 1 });
  }
  const outcomes = await programs.outcomesOf(folder, gateway);
  const { alone, exact, names, pages, error, ids, status } = outcomes;
  // The last one was sent twice or three times.
  expect([names, pages]).toEqual([['Ada', 'Bo', 'Cy', 'Di', 'Rex'], 3]);
  expect(ids).toEqual(['5', '5']);
  expect([exact, status]).toEqual(['9223372036854775807', 'available']);
  const [how, body] = [error].flat();
  expect([REFUSED, UNKNOWN]).toContainEqual(body);
  const versions = await Promise.all(packages.map(installedVersion));
  return {
    Client: name,
    Version: versions.join(', '),
    'A large id without `exact.ts`': typeof alone === 'number' ? BigInt(alone).toString() : alone,
    'An error is': how,
  };
}

test.each(CLIENTS)('$name does what docs/rest-client.md says', async (client) => {
  const row = await rowOf(client);
  const documented = await documentedClients('rest-client.md');
  expect(documented.find(({ Client }) => Client === client.name)).toEqual(row);
});

test('docs/rest-client.md has these clients, and no others', async () => {
  const documented = await documentedClients('rest-client.md');
  expect(documented.map(({ Client }) => Client)).toEqual(CLIENTS.map(({ name }) => name));
});
