import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { isJsonObject } from '@store-gateway/ops';
import { startChangedAnimals } from '../support/changed-animals.ts';

const run = promisify(execFile);
const PROGRAM = join(import.meta.dirname, 'openapi/programs/lint.ts');
const source = await readFile(new URL('../../openapi.json', import.meta.url), 'utf8');

/** Returns the problems that redocly's recommended-strict and spectral:oas find in a document, by linter. */
async function lint(document: string): Promise<Record<string, readonly unknown[]>> {
  const linting = run(process.execPath, [PROGRAM]);
  linting.child.stdin?.end(document);
  const { stdout, stderr } = await linting;
  expect(stderr).toBe('');
  const found: unknown = JSON.parse(stdout);
  return Object.fromEntries(
    Object.entries(isJsonObject(found) ? found : {}).map(([linter, problems]) => [
      linter,
      Array.isArray(problems) ? problems : [],
    ]),
  );
}

test('Redocly and Spectral report no problems in openapi.json', async () => {
  expect(await lint(source)).toEqual({ redocly: [], spectral: [] });
});

test('Redocly and Spectral report no problems in the OpenAPI document of a store with all methods', async () => {
  const { request } = await startChangedAnimals();
  const { text } = await request('/v1/openapi.json');
  expect(text).toContain('application/merge-patch+json');
  expect(await lint(text)).toEqual({ redocly: [], spectral: [] });
});

test('Redocly and Spectral report missing, unused and wrong parts of an OpenAPI document', async () => {
  const broken = [
    source.replace('"operationId": "getPet",', ''),
    source.replaceAll('#/components/schemas/Pets"', '#/components/schemas/Pet"'),
    source.replace('"message": "The API key is not valid"', '"message": 5'),
  ];
  for (const text of broken) {
    expect(text).not.toBe(source);
    const found = Object.entries(await lint(text));
    expect(found.map(([linter]) => linter)).toEqual(['redocly', 'spectral']);
    expect(found.filter(([, problems]) => problems.length === 0)).toEqual([]);
  }
});
