import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const run = promisify(execFile);
const cwd = join(import.meta.dirname, '../../examples/relay-client');
const env = {
  ...process.env,
  PATH: [join(cwd, 'node_modules/.bin'), process.env['PATH']].join(':'),
};

/** Of animals next to each other, whose ids are the same as doubles. */
const idOf = (number: number) => 2n ** 62n + BigInt(number);
const NAMES = ['Ada', 'Bo', 'Cy', 'Di', 'Ed', 'Flo', 'Gus'];

const gateway = await startGateway();
await gateway.database.pet.createMany({
  data: NAMES.map((name, number) => ({
    id: idOf(number),
    name,
    categoryId: 1n,
    status: 'available',
  })),
});
await gateway.post('/v1/pets', { name: 'Zoe', categoryId: 1, status: 'sold' });

/** Shows the list behind a cursor, and what it is each time that a button has been pushed. */
async function runExample(...cursor: string[]) {
  await using bundle = await temporaryDirectory();
  await run('vite', ['build', '--outDir', bundle.path], { cwd, env });
  const { stdout, stderr } = await run(
    process.execPath,
    [join(bundle.path, 'main.js'), ...cursor],
    { env: { ...env, ANIMAL_STORE_URL: gateway.url, API_KEY: gateway.key } },
  );
  expect(stderr).toBe('');
  return stdout.trimEnd().split('\n');
}

/** What is shown with some of the animals listed. */
function shown(label: string, from: number, to: number): string {
  const items = NAMES.map((name, number) => `${idOf(number)} ${name}`).slice(from, to + 1);
  return `${label}: ${items.join(', ')}`;
}

test('usePaginationFragment pages forwards until there is no more', async () => {
  expect(await runExample()).toEqual([
    shown('First', 0, 1),
    shown('Next', 0, 3),
    shown('Next', 0, 5),
    shown('Next', 0, 6),
  ]);
});

test('usePaginationFragment pages forwards and backwards from the middle of a list', async () => {
  expect(await runExample(String(idOf(2)))).toEqual([
    shown('First', 3, 4),
    shown('Next', 3, 6),
    shown('Previous', 1, 6),
    shown('Previous', 0, 6),
  ]);
});

test('the artifacts are those of schema.graphql: `npm run generate` writes them', async () => {
  const { stdout } = await run('relay-compiler', ['--validate'], { cwd, env });
  expect(stdout).toContain('Compilation completed.');
});
