import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const run = promisify(execFile);
const EXAMPLES = join(import.meta.dirname, '../../examples');
const REFUSED =
  'refused: BAD_USER_INPUT, name must be a string of 1 to 255 characters, without NUL or unpaired surrogates';

/** Runs an example as its user does, on a store that holds seven animals, three of them sold. */
async function runExample(file: string) {
  const { url, key, post, database } = await startGateway();
  for (const [index, name] of ['Ed', 'Flo', 'Gus', 'Ada', 'Bo', 'Cy', 'Di'].entries()) {
    await post('/v1/pets', { name, categoryId: 1, status: index < 3 ? 'sold' : 'available' });
  }
  const { stdout, stderr } = await run(process.execPath, [file], {
    cwd: EXAMPLES,
    env: { ...process.env, ANIMAL_STORE_URL: url, API_KEY: key },
  });
  const newest = await database.pet.findFirst({ orderBy: { id: 'desc' } });
  return { lines: stdout.split('\n').slice(0, -1), stderr, newest };
}

test.each([
  ['rest-client/client.ts', ['the list again: 304']],
  ['graphql-client/client.ts', []],
])('the example %s adds, follows the pages, and is told what is wrong', async (file, more) => {
  const { lines, stderr, newest } = await runExample(file);
  expect(newest).toMatchObject({ id: 8n, name: 'Rex', categoryId: 7n, status: 'available' });
  expect(stderr).toBe('');
  expect(lines).toEqual([
    'added Rex, who is available',
    '4 Ada',
    '5 Bo',
    '6 Cy',
    '7 Di',
    '8 Rex',
    REFUSED,
    ...more,
  ]);
});

test('an example is a page: fewer than 60 lines', async () => {
  const files = (await readdir(EXAMPLES, { recursive: true })).filter(
    (file) => /^[^/]+\/(?:src\/)?[^/]+\.tsx?$/.test(file) && !file.endsWith('.d.ts'),
  );
  expect(files.toSorted()).toEqual([
    'graphql-client/changes-apollo.ts',
    'graphql-client/changes-urql.ts',
    'graphql-client/changes.ts',
    'graphql-client/client.ts',
    'graphql-client/paging-apollo.ts',
    'graphql-client/paging-urql.ts',
    'library/src/api.ts',
    'library/src/change-routes.ts',
    'library/src/gateway.ts',
    'library/src/main.ts',
    'library/src/resource-routes.ts',
    'library/src/resources.ts',
    'library/src/rest.ts',
    'relay-client/src/App.tsx',
    'relay-client/src/PetList.tsx',
    'relay-client/src/browser.ts',
    'relay-client/src/main.tsx',
    'relay-client/src/store.ts',
    'relay-client/vite.config.ts',
    'rest-client/client.ts',
  ]);
  for (const file of files) {
    const text = await readFile(join(EXAMPLES, file), 'utf8');
    expect([file, text.split('\n').length - 1 < 60]).toEqual([file, true]);
  }
});

/** The generators' programs, of the example's own installation. */
function withPrograms(example: string): NodeJS.ProcessEnv {
  const programs = join(EXAMPLES, example, 'node_modules/.bin');
  return { ...process.env, PATH: `${programs}:${process.env['PATH'] ?? ''}` };
}

test("the REST client's types are those of openapi.json: `npm run generate` writes them", async () => {
  const { stdout } = await run('openapi-typescript', ['../../openapi.json'], {
    cwd: join(EXAMPLES, 'rest-client'),
    env: withPrograms('rest-client'),
  });
  const committed = await readFile(join(EXAMPLES, 'rest-client/animal-store.d.ts'), 'utf8');
  expect(committed.trim()).toBe(stdout.trim());
});

test("the GraphQL client's types are those of schema.graphql: `npm run generate` writes them", async () => {
  await using directory = await temporaryDirectory();
  const output = join(directory.path, 'graphql-env.d.ts');
  await run('gql.tada', ['generate-output', '--output', output], {
    cwd: join(EXAMPLES, 'graphql-client'),
    env: withPrograms('graphql-client'),
  });
  const committed = await readFile(join(EXAMPLES, 'graphql-client/graphql-env.d.ts'), 'utf8');
  expect(committed).toBe(await readFile(output, 'utf8'));
});
