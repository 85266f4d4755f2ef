import { seed } from '../support/store-commands.ts';
import { expect, test } from 'vitest';
import { runInProcess } from '../support/command.ts';
import { startGateway } from '../support/gateway.ts';

const { request, database, databaseUrl } = await startGateway();
const env = { DATABASE_URL: databaseUrl };

const run = (...args: string[]) => runInProcess(seed, args, { env });

/** The animals after those that are there now, in the order in which they were added. */
async function watchAnimals() {
  const { _max } = await database.pet.aggregate({ _max: { id: true } });
  return () =>
    database.$queryRaw<{ name: string; categoryId: bigint; status: string }[]>`
      SELECT name, category_id AS "categoryId", status::text FROM pets
      WHERE id > ${_max.id ?? 0n} ORDER BY id`;
}

test('twenty thousand plausible animals are added', async () => {
  const added = await watchAnimals();
  expect(await run('20000')).toEqual({ code: 0, stdout: 'added 20,000 animals\n', stderr: '' });

  const animals = await added();
  expect(animals).toHaveLength(20_000);
  const percent = (status: string) =>
    Math.round(animals.filter((animal) => animal.status === status).length / 200);
  expect(['available', 'pending', 'sold'].map(percent)).toEqual([70, 10, 20]);
  expect(new Set(animals.map(({ categoryId }) => categoryId)).size).toBe(5);
  const names = new Set(animals.map(({ name }) => name));
  expect(names.size).toBeGreaterThan(1000);
  expect([...names].filter((name) => !/^\p{Lu}[\p{L}' -]*$/u.test(name))).toEqual([]);
  expect((await request('/v1/pets?status=sold&limit=100')).json).toHaveLength(100);
});

/** Runs it, and resolves to what it has added. */
async function animalsOf(count: string) {
  const added = await watchAnimals();
  expect((await run(count)).code).toBe(0);
  return added();
}

test('exactly so many are added, and the same at every run', async () => {
  // One more than go into a statement.
  const first = await animalsOf('2001');
  expect(first).toHaveLength(2001);
  expect(await animalsOf('2001')).toEqual(first);
});

/** What draws the bar: over what was on its line before. */
function bar(filled: number, text: string): string {
  return `\r\u001B[K${'█'.repeat(filled)}${'░'.repeat(30 - filled)} ${text}`;
}

test('on a terminal a bar grows until all are added', async () => {
  const shown = [bar(0, '  0 %  0'), bar(12, ' 40 %  2,000'), bar(24, ' 80 %  4,000')];
  expect(await runInProcess(seed, ['5000'], { env, isTTY: true })).toEqual({
    code: 0,
    stdout: 'added 5,000 animals\n',
    stderr: `${shown.join('')}\r\u001B[K`,
  });
});

test.each([
  [[]],
  [['0']],
  [['01']],
  [['1.5']],
  [['1e5']],
  [['1,000']],
  [['many']],
  [['10000001']],
  [['99999999999999999999']],
])('seed %j is not understood', async (args) => {
  expect(await run(...args)).toEqual({
    code: 2,
    stdout: '',
    stderr: 'seed: COUNT must be an integer from 1 to 10000000; see --help\n',
  });
});

test('a negative count is not understood', async () => {
  const { stderr, ...outcome } = await run('-5');
  expect(outcome).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(/^seed: .+; see --help\n$/);
});
