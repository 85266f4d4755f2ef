// Reads an OpenAPI document from stdin, and prints the problems that each linter reports.
import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectral from '@stoplight/spectral-core';
import rulesets from '@stoplight/spectral-rulesets';
import { text } from 'node:stream/consumers';

const source = await text(process.stdin);

/** Returns the errors and warnings of redocly's recommended-strict. */
async function redocly(): Promise<string[]> {
  const config = await createConfig({ extends: ['recommended-strict'], telemetry: 'off' });
  const problems = await lintFromString({ source, absoluteRef: 'openapi.json', config });
  return problems.map(({ ruleId, message }) => `${ruleId}: ${message}`);
}

/**
 * Spectral applies OpenAPI 3.0's rule that only OAuth has scopes. Since 3.1, an operation may list required scopes with
 * any scheme (4.8.30).
 */
const TAKES_SCOPES_FOR_UNDEFINED =
  /^oas3-operation-security-defined: .* must be listed among scopes\.$/;

/** Returns the problems of `extends: spectral:oas`, including hints. */
async function spectralOas(): Promise<string[]> {
  const linter = new spectral.Spectral();
  linter.setRuleset(new spectral.Ruleset({ extends: [rulesets.oas] }));
  const problems = await linter.run(source);
  return problems
    .map(({ code, message, path }) => `${code}: ${path.join('.')} ${message}`)
    .filter((problem) => !TAKES_SCOPES_FOR_UNDEFINED.test(problem));
}

console.log(JSON.stringify({ redocly: await redocly(), spectral: await spectralOas() }));
