import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { startGateway } from '../support/gateway.ts';

const run = promisify(execFile);
const PROGRAM = join(import.meta.dirname, 'graphql/programs/fallback.ts');

test('Apollo Client and urql send the text of a document that is not stored, however they print it', async () => {
  const { url, key, post } = await startGateway();
  await post('/v1/pets', { name: 'Ada', categoryId: 1 });
  const env = { ...process.env, ANIMAL_STORE_URL: url, API_KEY: key };
  const { stdout, stderr } = await run(process.execPath, [PROGRAM], { env });
  expect(stderr).toBe('');
  const data = { __typename: 'Query', pets: [{ __typename: 'Pet', name: 'Ada' }] };
  expect(JSON.parse(stdout)).toEqual([data, data]);
});
