import { generateApiKey } from '../support/store-database.ts';
import { backup, deprecations, documents, keys, seed } from '../support/store-commands.ts';
import { expect, test } from 'vitest';
import { auditCommand } from '../../packages/gateway/src/commands/audit.ts';
import type { Command, Options } from '@store-gateway/ops/command-line';
import { gateway as animals } from '../../src/gateway.ts';
import { auditedApi } from '../support/audited-animals.ts';
import { runInProcess } from '../support/command.ts';
import { newDatabase } from '../support/new-database.ts';

type Misuse = readonly [args: readonly string[], message: string];

/** Runs a command with an unusable configuration, so that it cannot start anything. */
const unusable =
  <O extends Options>(command: Command<O>) =>
  (args: readonly string[]) =>
    runInProcess(command, args, { env: { DATABASE_URL: 'nonsense' } });

const COMMANDS = {
  audit: unusable(await auditCommand({ ...animals, load: () => Promise.resolve(auditedApi) })),
  backup: unusable(backup),
  deprecations: unusable(deprecations),
  documents: unusable(documents),
  keys: unusable(keys),
  seed: unusable(seed),
};

const KEY = generateApiKey();
const SUBCOMMAND = 'give create, list, restrict, revoke or rotate; see --help';
const NAME = 'create needs a NAME that identifies the user of the key; see --help';
const ID = 'ID must be the number of a key, as list shows it; see --help';
const ONLY_FOR = '--expires works only with create, and --grace only with rotate; see --help';

function duration(option: string, text: string): string {
  return `${option} must be a number and a unit, such as 90d, not "${text}"`;
}
const RESTRICTIONS =
  '--scopes, --origins and --documents work only with create and restrict; see --help';
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

const DOCUMENTS = 'give either DIR, --list or --remove HASH; see --help';
const COUNTS = ['0', '01', '1.5', '1e5', '1,000', 'many', '10000001', '99999999999999999999'];
const COUNT = 'COUNT must be an integer from 1 to 10000000; see --help';

const MISUSES: Readonly<Record<keyof typeof COMMANDS, readonly Misuse[]>> = {
  audit: [
    [['42'], 'unexpected "42"; see --help'],
    [['--since', 'today'], duration('--since', 'today')],
    [['--limit', '0'], '--limit must be a number from 1 to 100000; see --help'],
    [['--pet'], "Option '--pet <value>' argument missing; see --help"],
  ],
  backup: [
    [[], 'FOLDER is missing; see --help'],
    [['/a', '/b'], 'unexpected "/b"; see --help'],
  ],
  deprecations: [
    [['a', 'b'], 'unexpected "a b"; see --help'],
    [['--within', '3d'], '--within needs --removed-by; see --help'],
    [
      ['--removed-by', '2030-02-30'],
      '--removed-by must be a day, such as 2030-12-05, not "2030-02-30"',
    ],
    [['--removed-by', '2030-12-05', '--within', '3'], duration('--within', '3')],
  ],
  documents: [
    [[], DOCUMENTS],
    [['one', 'two'], DOCUMENTS],
    [['one', '--list'], DOCUMENTS],
    [['--list', '--remove', 'x'], DOCUMENTS],
    [
      ['--remove', 'ListPets'],
      'HASH must be the hash of a document, as --list shows it; see --help',
    ],
    [['--remove'], "Option '--remove <value>' argument missing; see --help"],
  ],
  seed: [[[], COUNT], ...COUNTS.map((count): Misuse => [[count], COUNT])],
  keys: [
    [[], SUBCOMMAND],
    [['destroy'], SUBCOMMAND],
    [['Create', 'x'], SUBCOMMAND],
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
    [['create', 'x', '--grace', '1d'], ONLY_FOR],
    [['rotate', '1', '--expires', '1d'], ONLY_FOR],
    [['list', '--expires', '1d'], ONLY_FOR],
    [['revoke', '1', '--grace', '1d'], ONLY_FOR],
    [['list', '--scopes', 'read'], RESTRICTIONS],
    [['rotate', '1', '--documents'], RESTRICTIONS],
    [['revoke', '1', '--no-documents'], RESTRICTIONS],
    [['restrict', '1'], RESTRICT],
    [['restrict', '--documents'], ID],
    [['restrict', '1', '--scopes', 'read', '--expires', '1d'], ONLY_FOR],
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
    [['create', 'x', '--origins', ''], origins('')],
    ...', * null shop.example http://shop.example file:///shop http://localhost.example http://localhost:5173/ ws://localhost'
      .split(' ')
      .map((text): Misuse => [['create', 'x', '--origins', text], origins(text)]),
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
  ],
};

test.each(
  Object.entries(MISUSES).flatMap(([name, rows]) =>
    rows.map(([args, message]) => [name, args, message] as const),
  ),
)('the command %s with the arguments %j reports a usage error', async (name, args, message) => {
  const run = new Map(Object.entries(COMMANDS)).get(name);
  expect(await run?.(args)).toEqual({ code: 2, stdout: '', stderr: `${name}: ${message}\n` });
});

test('a command with an invalid configuration prints one line and exits with code 1', async () => {
  expect(await COMMANDS.keys(['list'])).toEqual({
    code: 1,
    stdout: '',
    stderr:
      'keys: DATABASE_URL must be a URL such as postgresql://user:password@host:5432/database\n',
  });
});

const databaseUrl = await newDatabase();
const run = (args: readonly string[]) =>
  runInProcess(keys, args, { env: { DATABASE_URL: databaseUrl } });
const failure = (message: string) => ({ code: 1, stdout: '', stderr: `keys: ${message}\n` });

test.each([
  [['revoke', '4711'], 'there is no key 4711 to revoke; list shows all keys'],
  [
    ['revoke', '9223372036854775807'],
    'there is no key 9223372036854775807 to revoke; list shows all keys',
  ],
  [['restrict', '4711', '--documents'], 'there is no key 4711 to restrict; list shows all keys'],
  [['rotate', '4711'], 'there is no valid key 4711; list shows all keys'],
])('keys %j fails if there is no key with that id', async (args, message) => {
  expect(await run(args)).toEqual(failure(message));
});

test('a revoked key cannot be revoked, restricted or rotated again', async () => {
  await run(['create', 'gone']);
  const [, id = ''] = /^(\d+) .* gone$/m.exec((await run(['list'])).stdout) ?? [];
  expect(await run(['revoke', id])).toEqual({ code: 0, stdout: `revoked ${id}\n`, stderr: '' });
  for (const [args, message] of [
    [['revoke', id], `there is no key ${id} to revoke; list shows all keys`],
    [['restrict', id, '--scopes', 'all'], `there is no key ${id} to restrict; list shows all keys`],
    [['rotate', id, '--grace', '1d'], `there is no valid key ${id}; list shows all keys`],
  ] as const) {
    expect(await run(args)).toEqual(failure(message));
  }
});
