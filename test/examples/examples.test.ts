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

/** Runs an example on a store with seven animals, three of them sold. */
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
])('the example %s adds an animal, reads all pages, and receives an error', async (file, more) => {
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

test('each example has fewer than 60 lines', async () => {
  const files = (await readdir(EXAMPLES, { recursive: true })).filter(
    (file) => /^[^/]+\/(?:src\/)?[^/]+\.tsx?$/.test(file) && !file.endsWith('.d.ts'),
  );
  const folders = new Set(files.map((file) => file.split('/')[0]));
  expect(folders).toEqual(new Set(await readdir(EXAMPLES)));
  for (const file of files) {
    const text = await readFile(join(EXAMPLES, file), 'utf8');
    expect([file, text.split('\n').length - 1 < 60]).toEqual([file, true]);
  }
});

/** The environment with the example's installed programs on PATH. */
function withPrograms(example: string): NodeJS.ProcessEnv {
  const programs = join(EXAMPLES, example, 'node_modules/.bin');
  return { ...process.env, PATH: `${programs}:${process.env['PATH'] ?? ''}` };
}

test("the REST client's types match openapi.json; `npm run generate` updates them", async () => {
  const { stdout } = await run('openapi-typescript', ['../../openapi.json'], {
    cwd: join(EXAMPLES, 'rest-client'),
    env: withPrograms('rest-client'),
  });
  const committed = await readFile(join(EXAMPLES, 'rest-client/animal-store.d.ts'), 'utf8');
  expect(committed.trim()).toBe(stdout.trim());
});

test("the GraphQL client's types match schema.graphql; `npm run generate` updates them", async () => {
  await using directory = await temporaryDirectory();
  const output = join(directory.path, 'graphql-env.d.ts');
  await run('gql.tada', ['generate-output', '--output', output], {
    cwd: join(EXAMPLES, 'graphql-client'),
    env: withPrograms('graphql-client'),
  });
  const committed = await readFile(join(EXAMPLES, 'graphql-client/graphql-env.d.ts'), 'utf8');
  expect(committed).toBe(await readFile(output, 'utf8'));
});

/** Loaded before an example: prints the variables of each request to stderr. */
const TELL_REQUESTS = `data:text/javascript,${encodeURIComponent(`
  const send = globalThis.fetch;
  globalThis.fetch = (address, init) => {
    console.error(JSON.stringify(JSON.parse(init.body).variables ?? {}));
    return send(address, init);
  };
`)}`;

const small = await startGateway();
await small.post('/v1/pets', { name: 'only', categoryId: 1, status: 'available' });
const full = await startGateway();
for (const [index, name] of ['Ada', 'Bo', 'Cy', 'Di', 'Zoe', 'Ed', 'Flo', 'Gus'].entries()) {
  await full.post('/v1/pets', { name, categoryId: 1, status: index < 5 ? 'available' : 'sold' });
}

async function runWith(file: string, { url, key }: { url: string; key: string }) {
  const { stdout, stderr } = await run(process.execPath, ['--import', TELL_REQUESTS, file], {
    cwd: join(EXAMPLES, 'graphql-client'),
    env: { ...process.env, ANIMAL_STORE_URL: url, API_KEY: key },
  });
  const requests: unknown = JSON.parse(`[${stderr.trimEnd().replaceAll('\n', ',')}]`);
  return { stdout, requests };
}

test.each(['paging-urql.ts', 'paging-apollo.ts'])(
  '%s requests each page once, and reads the list from the cache',
  async (file) => {
    const { stdout, requests } = await runWith(file, full);
    expect(requests).toEqual([
      { status: 'available' },
      { status: 'available', after: '2' },
      { status: 'sold' },
      { status: 'sold', after: '7' },
    ]);
    expect(stdout).toBe(
      'available: Ada, Bo, Cy, Di\nmore: true\nsold: Ed, Flo, Gus\nmore: false\n',
    );
  },
);

test.each(['paging-urql.ts', 'paging-apollo.ts'])(
  '%s sends one request for a single-page list and one for an empty list',
  async (file) => {
    const { stdout, requests } = await runWith(file, small);
    expect(requests).toEqual([{ status: 'available' }, { status: 'sold' }]);
    expect(stdout).toBe('available: only\nmore: false\nsold: \nmore: false\n');
  },
);

test.each([
  ['changes-apollo.ts', 4],
  ['changes-urql.ts', 5],
])('%s does not show removed animals, and sends %i requests', async (file, sent) => {
  const store = await startGateway();
  for (const name of ['Ada', 'Bo', 'Cy']) {
    await store.post('/v1/pets', { name, categoryId: 1 });
  }
  const { stdout, requests } = await runWith(file, store);
  expect(stdout).toBe('Ada, Bo, Cy\nBo, Cy\nCy\n');
  expect(requests).toHaveLength(sent);
});

const RELAY = join(EXAMPLES, 'relay-client');
const env = withPrograms('relay-client');

/** Adjacent ids that are equal as doubles. */
const idOf = (number: number) => 2n ** 62n + BigInt(number);
const NAMES = ['Ada', 'Bo', 'Cy', 'Di', 'Ed', 'Flo', 'Gus'];

const relayed = await startGateway();
await relayed.database.pet.createMany({
  data: NAMES.map((name, number) => ({
    id: idOf(number),
    name,
    categoryId: 1n,
    status: 'available',
  })),
});
await relayed.post('/v1/pets', { name: 'Zoe', categoryId: 1, status: 'sold' });

/** Runs the example from an optional cursor, and returns the list as shown at first and after each click. */
async function runRelay(...cursor: string[]) {
  await using bundle = await temporaryDirectory();
  await run('vite', ['build', '--outDir', bundle.path], { cwd: RELAY, env });
  const { stdout, stderr } = await run(
    process.execPath,
    [join(bundle.path, 'main.js'), ...cursor],
    { env: { ...env, ANIMAL_STORE_URL: relayed.url, API_KEY: relayed.key } },
  );
  expect(stderr).toBe('');
  return stdout.trimEnd().split('\n');
}

/** The output line that lists a range of the animals. */
function shown(label: string, from: number, to: number): string {
  const items = NAMES.map((name, number) => `${idOf(number)} ${name}`).slice(from, to + 1);
  return `${label}: ${items.join(', ')}`;
}

test('usePaginationFragment pages forwards to the end', async () => {
  expect(await runRelay()).toEqual([
    shown('First', 0, 1),
    shown('Next', 0, 3),
    shown('Next', 0, 5),
    shown('Next', 0, 6),
  ]);
});

test('usePaginationFragment pages forwards and backwards from the middle of a list', async () => {
  expect(await runRelay(String(idOf(2)))).toEqual([
    shown('First', 3, 4),
    shown('Next', 3, 6),
    shown('Previous', 1, 6),
    shown('Previous', 0, 6),
  ]);
});

test('the Relay artifacts match schema.graphql; `npm run generate` updates them', async () => {
  const { stdout } = await run('relay-compiler', ['--validate'], { cwd: RELAY, env });
  expect(stdout).toContain('Compilation completed.');
});
