import { execFile, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const CURL_STAND_IN = join(import.meta.dirname, 'curl.ts');

/** How each language's code samples are run, with their setup code. */
const COMMANDS: Readonly<Record<string, readonly [command: readonly string[], setUp: string]>> = {
  curl: [
    ['sh', '-c'],
    `command -v curl >/dev/null || curl() { '${process.execPath}' '${CURL_STAND_IN}' "$@"; }\n`,
  ],
  JavaScript: [[process.execPath, '--input-type=module', '-e'], ''],
  Python: [['python3', '-c'], ''],
};

/** The languages whose samples this machine can run. */
export const SAMPLE_LANGUAGES = Object.keys(COMMANDS).filter(
  (language) => language !== 'Python' || spawnSync('python3', ['--version']).status === 0,
);

/**
 * Runs a code sample as a reader would who pastes it.
 *
 * @param page HTML with samples; the language's first one is used
 * @returns what the sample prints
 */
export async function runSample(
  page: string,
  language: string,
  { key, server }: { readonly key: string; readonly server: string },
): Promise<string> {
  const [, html = ''] = page.split(`<pre data-language="${language}"><code>`);
  const code = (html.split('</code>')[0] ?? '')
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
    .replaceAll('BASE_URL', server);
  const [[program = '', ...options], setUp] = COMMANDS[language] ?? [[], ''];
  const { stdout } = await promisify(execFile)(program, [...options, setUp + code], {
    env: { PATH: process.env['PATH'], API_KEY: key },
  });
  return stdout;
}
