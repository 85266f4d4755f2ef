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

/** The service's error for an animal with an empty name. Hey API's validator does not send such an animal. */
const REFUSED = {
  code: 'BAD_USER_INPUT',
  message: 'name must be a string of 1 to 255 characters, without NUL or unpaired surrogates',
  status: 400,
};
/** The service's error for an invalid key. */
const UNKNOWN = { code: 'UNAUTHENTICATED', message: 'The API key is not valid', status: 401 };

/** Returns a client's row for docs/rest-client.md according to its program's outcomes. */
async function rowOf({ folder, name, packages }: RestClient) {
  const gateway = await startGateway();
  for (const animal of ['Ada', 'Bo', 'Cy', 'Di']) {
    await gateway.post('/v1/pets', { name: animal, categoryId: 1 });
  }
  const outcomes = await programs.outcomesOf(folder, gateway);
  const { alone, exact, names, pages, error, ids, status } = outcomes;
  // The last animal was sent two or three times.
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

test.each(CLIENTS)('$name behaves as docs/rest-client.md says', async (client) => {
  const row = await rowOf(client);
  const documented = await documentedClients('rest-client.md');
  expect(documented.find(({ Client }) => Client === client.name)).toEqual(row);
});

test('docs/rest-client.md lists exactly the tested REST clients', async () => {
  const documented = await documentedClients('rest-client.md');
  expect(documented.map(({ Client }) => Client)).toEqual(CLIENTS.map(({ name }) => name));
});
