import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectral from '@stoplight/spectral-core';
import rulesets from '@stoplight/spectral-rulesets';
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

const source = await readFile(new URL('../../openapi.json', import.meta.url), 'utf8');

/** What redocly's recommended-strict finds, warnings too. */
async function redocly(text: string): Promise<string[]> {
  const config = await createConfig({ extends: ['recommended-strict'], telemetry: 'off' });
  const problems = await lintFromString({ source: text, absoluteRef: 'openapi.json', config });
  return problems.map(({ ruleId, message }) => `${ruleId}: ${message}`);
}

/** What `extends: spectral:oas` finds, hints too. */
async function spectralOas(text: string): Promise<string[]> {
  const linter = new spectral.Spectral();
  linter.setRuleset(new spectral.Ruleset({ extends: [rulesets.oas] }));
  const problems = await linter.run(text);
  return problems.map(({ code, message, path }) => `${code}: ${path.join('.')} ${message}`);
}

const LINTERS = [
  ["redocly's recommended-strict", redocly],
  ['spectral:oas', spectralOas],
] as const;

test.each(LINTERS)('%s finds nothing', async (_name, lint) => {
  expect(await lint(source)).toEqual([]);
});

test.each(LINTERS)('%s would find what is missing, unused or untrue', async (_name, lint) => {
  const broken = [
    source.replace('"operationId": "getPet",', ''),
    source.replaceAll('#/components/schemas/Pets"', '#/components/schemas/Pet"'),
    source.replace('"message": "The API key is not valid"', '"message": 5'),
  ];
  for (const text of broken) {
    expect(text).not.toBe(source);
    expect(await lint(text)).not.toEqual([]);
  }
});
