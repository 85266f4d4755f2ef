// Reads an OpenAPI document from stdin, and prints what each linter finds in it.
import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectral from '@stoplight/spectral-core';
import rulesets from '@stoplight/spectral-rulesets';
import { text } from 'node:stream/consumers';

const source = await text(process.stdin);

/** What redocly's recommended-strict finds, warnings too. */
async function redocly(): Promise<string[]> {
  const config = await createConfig({ extends: ['recommended-strict'], telemetry: 'off' });
  const problems = await lintFromString({ source, absoluteRef: 'openapi.json', config });
  return problems.map(({ ruleId, message }) => `${ruleId}: ${message}`);
}

/** What `extends: spectral:oas` finds, hints too. */
async function spectralOas(): Promise<string[]> {
  const linter = new spectral.Spectral();
  linter.setRuleset(new spectral.Ruleset({ extends: [rulesets.oas] }));
  const problems = await linter.run(source);
  return problems.map(({ code, message, path }) => `${code}: ${path.join('.')} ${message}`);
}

console.log(JSON.stringify({ redocly: await redocly(), spectral: await spectralOas() }));
