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

/**
 * Spectral has OpenAPI 3.0's rule, by which only OAuth has scopes. From 3.1 on an operation names those that it needs with any
 * scheme (4.8.30).
 */
const TAKES_SCOPES_FOR_UNDEFINED =
  /^oas3-operation-security-defined: .* must be listed among scopes\.$/;

/** What `extends: spectral:oas` finds, hints too. */
async function spectralOas(): Promise<string[]> {
  const linter = new spectral.Spectral();
  linter.setRuleset(new spectral.Ruleset({ extends: [rulesets.oas] }));
  const problems = await linter.run(source);
  return problems
    .map(({ code, message, path }) => `${code}: ${path.join('.')} ${message}`)
    .filter((problem) => !TAKES_SCOPES_FOR_UNDEFINED.test(problem));
}

console.log(JSON.stringify({ redocly: await redocly(), spectral: await spectralOas() }));
