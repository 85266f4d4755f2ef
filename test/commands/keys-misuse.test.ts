import { generateApiKey } from '../support/store-database.ts';
import { keys } from '../support/store-commands.ts';
import { expect, inject, test } from 'vitest';
import { runInProcess } from '../support/command.ts';
import { createDatabase, TEMPLATE } from '../support/database.ts';

const databaseUrl = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });

const run = (args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
  runInProcess(keys, args, { env: { DATABASE_URL: databaseUrl, ...env } });

const KEY = generateApiKey();
const COMMAND = 'give create, list, restrict, revoke or rotate; see --help';
const NAME = 'create needs a NAME that identifies the user of the key; see --help';
const ID = 'ID must be the number of a key, as list shows it; see --help';
const OPTIONS = '--expires is for create, --grace for rotate; see --help';

function duration(option: string, text: string): string {
  return `${option} must be a number and a unit, such as 90d, not "${text}"`;
}
const RESTRICTIONS = '--scopes, --origins and --documents are for create and restrict; see --help';
const RESTRICT = 'restrict needs --scopes, --origins or --documents; see --help';
const WRITES =
  'a key with origins is public, because web pages contain it, so it must not have the scope write; give --scopes without write';

function scopes(text: string): string {
  return `--scopes must be all or some of read, write, not "${text}"`;
}

function origins(text: string): string {
  return `--origins must be all or origins such as https://shop.example, or http://localhost:5173 for development, not "${text}"`;
}

function unknownOption(option: string): string {
  return `Unknown option '${option}'. To specify a positional argument starting with a '-', place it at the end of the command after '--', as in '-- "${option}"; see --help`;
}

test.each<[readonly string[], string]>([
  [[], COMMAND],
  [['destroy'], COMMAND],
  [['Create', 'x'], COMMAND],
  [['--bogus'], unknownOption('--bogus')],
  [['create', 'x', '-x'], unknownOption('-x')],
  [['create'], NAME],
  [['create', ' '], NAME],
  [['create', 'x'.repeat(256)], 'NAME may have at most 255 characters'],
  [['create', `of ${KEY}`], 'NAME must not contain an API key'],
  [['create', 'Rex', 'Smith'], 'unexpected "Smith"; see --help'],
  [['list', 'all'], 'unexpected "all"; see --help'],
  [['revoke', '1', '2', '3'], 'unexpected "2 3"; see --help'],
  [['revoke', '1', 'a\u001B[2J\n'], String.raw`unexpected "a\u{1b}[2J\u{a}"; see --help`],
  [['create', 'x', '--expires'], "Option '--expires <value>' argument missing; see --help"],
  [['create', 'x', '--expires', ''], duration('--expires', '')],
  [['create', 'x', '--expires', '90'], duration('--expires', '90')],
  [['create', 'x', '--expires', '1.5d'], duration('--expires', '1.5d')],
  [['create', 'x', '--expires', '2w'], duration('--expires', '2w')],
  [['create', 'x', '--expires', '36501d'], duration('--expires', '36501d')],
  [['create', 'x', '--expires=-1d'], duration('--expires', '-1d')],
  [['rotate', '1', '--grace', 'soon'], duration('--grace', 'soon')],
  [['create', 'x', '--grace', '1d'], OPTIONS],
  [['rotate', '1', '--expires', '1d'], OPTIONS],
  [['list', '--expires', '1d'], OPTIONS],
  [['revoke', '1', '--grace', '1d'], OPTIONS],
  [['list', '--scopes', 'read'], RESTRICTIONS],
  [['rotate', '1', '--documents'], RESTRICTIONS],
  [['revoke', '1', '--no-documents'], RESTRICTIONS],
  [['restrict', '1'], RESTRICT],
  [['restrict', '--documents'], ID],
  [['restrict', '1', '--scopes', 'read', '--expires', '1d'], OPTIONS],
  [
    ['restrict', '1', '--documents', '--no-documents'],
    'give either --documents or --no-documents; see --help',
  ],
  [['create', 'x', '--scopes', ''], scopes('')],
  [['create', 'x', '--scopes', 'discounts'], scopes('discounts')],
  [['create', 'x', '--scopes', 'Read'], scopes('Read')],
  [['create', 'x', '--scopes', 'all,read'], scopes('all')],
  [['create', 'x', '--scopes', 'constructor'], scopes('constructor')],
  [['restrict', '1', '--scopes', 'reads'], scopes('reads')],
  ...[
    '',
    ',',
    '*',
    'null',
    'shop.example',
    'https://shop.example/',
    'https://shop.example/path',
    'https://shop.example:443',
    'https://Shop.example',
    'https://*.example',
    'https://a@shop.example',
    'https://shop.example?',
    'http://shop.example',
    'http://localhost.example',
    'http://localhost:5173/',
    'file:///shop',
    'ws://localhost',
  ].map((text): [string[], string] => [['create', 'x', '--origins', text], origins(text)]),
  [['restrict', '1', '--origins', 'https://a.example,b'], origins('b')],
  [['create', 'x', '--origins', 'https://a.example', '--scopes', 'read,write'], WRITES],
  [['create', 'x', '--origins', 'https://a.example', '--scopes', 'all'], WRITES],
  [['restrict', '1', '--origins', 'https://a.example', '--scopes', 'write'], WRITES],
  [['revoke'], ID],
  [['rotate'], ID],
  [['revoke', 'Rex'], ID],
  [['revoke', '0'], ID],
  [['rotate', '01'], ID],
  [['rotate', '9223372036854775808'], ID],
])('keys %j is not understood', async (args, message) => {
  expect(await run(args)).toEqual({ code: 2, stdout: '', stderr: `keys: ${message}\n` });
});

test.each([
  [['revoke', '4711'], 'there is no key 4711 to revoke; see list'],
  [['revoke', '9223372036854775807'], 'there is no key 9223372036854775807 to revoke; see list'],
  [['restrict', '4711', '--documents'], 'there is no key 4711 to restrict; see list'],
  [['rotate', '4711'], 'there is no valid key 4711; see list'],
])('keys %j fails for want of such a key', async (args, message) => {
  expect(await run(args)).toEqual({ code: 1, stdout: '', stderr: `keys: ${message}\n` });
});

test('a key that was revoked is neither revoked, restricted nor rotated again', async () => {
  await run(['create', 'gone']);
  const [, id = ''] = /^(\d+) .* gone$/m.exec((await run(['list'])).stdout) ?? [];
  expect(await run(['revoke', id])).toEqual({ code: 0, stdout: `revoked ${id}\n`, stderr: '' });
  expect(await run(['revoke', id])).toEqual({
    code: 1,
    stdout: '',
    stderr: `keys: there is no key ${id} to revoke; see list\n`,
  });
  expect(await run(['restrict', id, '--scopes', 'all'])).toEqual({
    code: 1,
    stdout: '',
    stderr: `keys: there is no key ${id} to restrict; see list\n`,
  });
  expect(await run(['rotate', id, '--grace', '1d'])).toEqual({
    code: 1,
    stdout: '',
    stderr: `keys: there is no valid key ${id}; see list\n`,
  });
});

test.each([[['--help']], [['-h']], [['help']], [['create', 'x', '--help']]])(
  'keys %j prints help and does nothing else',
  async (args) => {
    const { code, stdout, stderr } = await run(args, { DATABASE_URL: 'not read' });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(
      /^Manages the API keys of the store\.\n[^]*Exit codes: 0 done, 1 failed, 2 usage error\.\n$/,
    );
  },
);

test('a configuration that is wrong is one line and exit code 1', async () => {
  expect(await run(['list'], { DATABASE_URL: 'nonsense' })).toEqual({
    code: 1,
    stdout: '',
    stderr:
      'keys: DATABASE_URL must be a URL such as postgresql://user:password@host:5432/database\n',
  });
});
