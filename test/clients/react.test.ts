import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { rolldown } from 'rolldown';
import { expect, test } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const run = promisify(execFile);
const PROGRAMS = join(import.meta.dirname, 'react/programs');

// These are the components that docs/graphql-client.md shows or links to.

/** Returns the names that a component shows at first and after each click. */
async function shownBy(program: string): Promise<unknown> {
  const { url, key, post } = await startGateway();
  for (const name of ['Ada', 'Bo', 'Cy', 'Di', 'Ed']) {
    await post('/v1/pets', { name, categoryId: 1 });
  }
  await using directory = await temporaryDirectory();
  const file = join(directory.path, 'program.mjs');
  await using bundle = await rolldown({
    input: join(PROGRAMS, program),
    platform: 'node',
    tsconfig: false,
    logLevel: 'silent',
  });
  await bundle.write({ file, codeSplitting: false });
  const env = { ...process.env, ANIMAL_STORE_URL: url, API_KEY: key };
  const { stdout, stderr } = await run(process.execPath, [file], { env });
  expect(stderr).toBe('');
  return JSON.parse(stdout);
}

test('the documented React components match the GraphQL schema', async () => {
  const tsc = join(import.meta.dirname, '../../node_modules/.bin/tsc');
  const { stdout } = await run(tsc, ['-p', PROGRAMS]);
  expect(stdout).toBe('');
});

test.each(['show-apollo.tsx', 'show-urql.tsx'])(
  'the list in %s grows by earlier pages and by new animals, each shown once',
  async (program) => {
    expect(await shownBy(program)).toEqual({
      shown: [
        ['Di', 'Ed'],
        ['Di', 'Ed', 'Rex'],
        ['Bo', 'Cy', 'Di', 'Ed', 'Rex'],
        ['Ada', 'Bo', 'Cy', 'Di', 'Ed', 'Rex'],
        ['Ada', 'Bo', 'Cy', 'Di', 'Ed', 'Rex', 'Rex'],
      ],
      isWhole: true,
    });
  },
);
