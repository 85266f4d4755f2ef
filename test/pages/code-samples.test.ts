import { execFile, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { startGateway } from '../support/gateway.ts';

const CURL_STAND_IN = join(import.meta.dirname, '../support/documentation/curl.ts');
const LARGEST = '9223372036854775807';

const gateway = await startGateway();
const { text: page } = await gateway.request('/docs');

/** How the samples of a language are run, as far as this machine can. */
const LANGUAGES = [
  [
    'curl',
    ['sh', '-c'],
    `command -v curl >/dev/null || curl() { '${process.execPath}' '${CURL_STAND_IN}' "$@"; }\n`,
  ],
  ['JavaScript', [process.execPath, '--input-type=module', '-e'], ''],
  ...(spawnSync('python3', ['--version']).status === 0
    ? [['Python', ['python3', '-c'], ''] as const]
    : []),
] as const;

const OPERATIONS = ['listPets', 'createPet', 'getPet'];

const CASES = LANGUAGES.flatMap((language) =>
  OPERATIONS.map((operation) => [language[0], operation, language] as const),
);

/** An operation's sample as a reader copies it. */
function sampleOf(operation: string, language: string): string {
  const [, section = ''] = page.split(`<section class="operation" id="/animals/${operation}"`);
  const [, code = ''] = section.split(`<pre data-language="${language}"><code>`);
  return (code.split('</code>')[0] ?? '')
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
    .replaceAll('BASE_URL', `${gateway.url}/v1`);
}

test.each(CASES)(
  'the %s sample of %s runs as it is',
  async (name, operation, [, command, setUp]) => {
    await gateway.database.$executeRaw`
    INSERT INTO pets VALUES (42, 'Sampled', ${BigInt(LARGEST)}, 'sold') ON CONFLICT DO NOTHING`;
    const [program, ...options] = command;
    const { stdout } = await promisify(execFile)(
      program,
      [...options, setUp + sampleOf(operation, name)],
      { env: { PATH: process.env['PATH'], API_KEY: gateway.key } },
    );
    expect(stdout).toContain(operation === 'createPet' ? 'Rex' : 'Sampled');
    expect(stdout).toContain(operation === 'createPet' ? '7' : LARGEST);
  },
);

test('no sample has a key in it', () => {
  expect(page).not.toContain('asg_');
});
