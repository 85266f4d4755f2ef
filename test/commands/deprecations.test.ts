import { deprecations } from '../support/store-commands.ts';
import { openDatabase } from '../support/store-database.ts';
import { expect, onTestFinished, test } from 'vitest';
import { createKey } from '../support/keys.ts';
import { onFileFinished } from '../support/clean-up.ts';
import { runInProcess } from '../support/command.ts';
import { openOwnTables } from '../support/own-tables.ts';
import { logOf, startPatientService } from '../support/service.ts';
import { emptyDatabase } from '../support/new-database.ts';
import { newDatabase } from '../support/new-database.ts';

const list = (databaseUrl: string, ...args: string[]) =>
  runInProcess(deprecations, args, { env: { DATABASE_URL: databaseUrl } });

const LISTED = `DEPRECATED  SINCE       REMOVAL     INSTEAD
pet         2026-11-21  2030-12-05  the list of animals with a status filter or ids
`;

const databaseUrl = await newDatabase();
const database = openDatabase(databaseUrl);
onFileFinished(() => database.$disconnect());
const tables = openOwnTables(databaseUrl);
const { key: first } = await createKey(database, { name: 'first' });
const headers = { Authorization: `Bearer ${first}` };
await database.$executeRaw`
  INSERT INTO _gateway_idempotency_keys (key_id, name, model, request, row, created_at)
  SELECT id, 'old', 'Any', '{}', '{}', now() - interval '25 hours' FROM _gateway_api_keys`;
await database.$executeRaw`
  INSERT INTO _gateway_rate_limit_counts VALUES ('key', 'old', 1, now() - interval '25 hours')`;
const service = await startPatientService({ DATABASE_URL: databaseUrl });

const countOldRows = () =>
  Promise.all([
    tables.idempotencyKey.count({ where: { name: 'old' } }),
    tables.rateLimitCount.count({ where: { subject: 'old' } }),
  ]);

test('the service removes expired idempotency keys and rate limit counts when it starts', async () => {
  await expect.poll(countOldRows).toEqual([0, 0]);
});

test('a service logs deprecated calls before it stops, and npm run deprecations lists them afterwards', async () => {
  await Promise.all([1, 2, 3].map((id) => fetch(`${service.url}/v1/pets/${id}`, { headers })));
  await service[Symbol.asyncDispose]();

  const lines = logOf(service).filter(({ msg }) => msg === 'deprecated field called');
  // There is one line, unless the calls were far apart.
  for (const line of lines) {
    expect(line).toMatchObject({
      level: 40,
      keyId: '1',
      field: 'pet',
      calls: expect.any(Number) as unknown,
      msg: 'deprecated field called',
    });
  }
  expect(lines).not.toEqual([]);
  const { code, stdout, stderr } = await list(databaseUrl);
  expect([code, stderr]).toEqual([0, '']);
  const [deprecated, called] = stdout.split('\n\n');
  expect(`${deprecated}\n`).toBe(LISTED);
  expect(called).toMatch(
    /^CALLED {2}CALLS {2}LAST +KEY {2}NAME\npet {5}3 {6}\d{4}-\d\d-\d\dT[\d:.]+Z {2}1 {4}first\n$/,
  );
});

test('without calls, npm run deprecations only lists the deprecated fields', async () => {
  expect(await list(await newDatabase())).toEqual({ code: 0, stdout: LISTED, stderr: '' });
});

/** Creates a database with deprecated calls: what was called, by which key, and how many days ago. */
async function calledIn(...calls: readonly (readonly [of: string, key: string, days: number])[]) {
  const url = await newDatabase();
  const own = openDatabase(url);
  for (const [of, name, days] of calls) {
    await createKey(own, { name });
    await own.$executeRaw`
      INSERT INTO _gateway_deprecated_calls (key_id, field, calls, last_at)
      SELECT id, ${of}, 7, now() - ${days} * interval '1 day' FROM _gateway_api_keys WHERE name = ${name}`;
  }
  onTestFinished(() => own.$disconnect());
  return { url, own };
}

test('deprecations --removed-by fails from the day on which a removal breaks a caller', async () => {
  const { url } = await calledIn(['pet', 'shop', 1]);
  expect(await list(url, '--removed-by', '2030-12-04')).toEqual({
    code: 0,
    stdout: 'The removals by 2030-12-04 do not break any caller.\n',
    stderr: '',
  });
  const { code, stdout, stderr } = await list(url, '--removed-by', '2030-12-05');
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(
    /^CALLED {2}CALLS {2}LAST +KEY {2}NAME\npet {5}7 {6}\S+Z {2}1 {4}shop\ndeprecations: the removals by 2030-12-05 would break a caller\n$/,
  );
});

test('deprecations --removed-by fails on any day if a caller used a field that this version lacks', async () => {
  const { url } = await calledIn(['Pet.weight', 'shop', 1], ['Pet.weight', 'app', 2]);
  const { code, stderr } = await list(url, '--removed-by', '2026-01-01');
  expect(code).toBe(1);
  expect(stderr).toMatch(
    /^CALLED.*\nPet\.weight .* shop\nPet\.weight .* app\n.* break 2 callers\n$/,
  );
});

test('deprecations --removed-by ignores calls to operations and fields that are no longer deprecated', async () => {
  const { url } = await calledIn(
    ['pets', 'a', 1],
    ['Pet', 'b', 1],
    ['Pet.name', 'c', 1],
    ['Query.pets(status:)', 'd', 1],
    ['PetStatus.sold', 'e', 1],
    ['NewPet.name', 'f', 1],
    ['GET /v1/pets/{petId}', 'g', 1],
  );
  expect((await list(url, '--removed-by', '2030-12-04')).stderr).toBe('');
});

test.each(['dogs', 'Dog', 'Pet.age', 'Dog.age', 'Query.pets(age:)', 'GET /v1/dogs/{dogId}'])(
  'deprecations --removed-by reports callers of %s, which this version lacks',
  async (of) => {
    const { url } = await calledIn([of, 'shop', 1]);
    expect((await list(url, '--removed-by', '2030-12-04')).stderr).toContain(`\n${of} `);
  },
);

test('deprecations --removed-by ignores old calls and calls with keys that are now revoked or expired', async () => {
  const { url, own } = await calledIn(
    ['pet', 'long ago', 91],
    ['pet', 'revoked', 1],
    ['pet', 'expired', 1],
  );
  await own.$executeRaw`UPDATE _gateway_api_keys SET revoked_at = now() WHERE name = 'revoked'`;
  await own.$executeRaw`UPDATE _gateway_api_keys SET expires_at = now() WHERE name = 'expired'`;
  expect((await list(url, '--removed-by', '2031-01-01')).code).toBe(0);
  const within = await list(url, '--removed-by', '2031-01-01', '--within', '92d');
  expect([within.code, within.stderr]).toEqual([1, expect.stringContaining('long ago')]);
});

test('deprecations --removed-by does not migrate the database', async () => {
  const { url, own } = await calledIn(['pet', 'shop', 1]);
  const forget = () => own.$executeRaw`
    DELETE FROM _gateway_migrations WHERE migration_name = (
      SELECT max(migration_name) FROM _gateway_migrations)`;
  expect(await forget()).toBe(1);
  const recorded = () => own.$queryRaw`SELECT migration_name FROM _gateway_migrations`;
  const before = await recorded();
  expect((await list(url, '--removed-by', '2030-12-05')).code).toBe(1);
  expect(await recorded()).toEqual(before);
});

test('deprecations --removed-by fails on a database without tables', async () => {
  const url = await emptyDatabase();
  const { code, stderr } = await list(url, '--removed-by', '2030-12-05');
  expect(code).toBe(1);
  expect(stderr).toMatch(/^deprecations: The database at \S+ has no migration history: .+\n$/);
});
