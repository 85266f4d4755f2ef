import { documents } from '../support/store-commands.ts';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runInProcess } from '../support/command.ts';
import { apolloManifest, codegenManifest, folderOf, sha256 } from '../support/documents.ts';
import { startGateway } from '../support/gateway.ts';

const { tables, databaseUrl } = await startGateway();

const run = (...args: string[]) =>
  runInProcess(documents, args, { env: { DATABASE_URL: databaseUrl } });

const GOOD = 'query Good { pets { name } }';
const NO_HASH = `its identifier is not its SHA-256, which is ${sha256(GOOD)}; graphql-codegen needs hashAlgorithm: 'sha256'`;
const NO_MANIFEST = 'it is not a manifest of graphql-codegen or Apollo';
const repeated = (count: number, part: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => part(index)).join(' ');

/** Files, each with what is wrong with it. */
const FAULTY: Readonly<Record<string, readonly [string | Uint8Array, ...string[]]>> = {
  'aliases.graphql': [
    `{ ${repeated(31, (index) => `a${index}: __typename`)} }`,
    '1:1: The document has 31 aliases; at most 30 are allowed',
  ],
  'complex.graphql': [
    `query Much($n: Int! = 100) { ${repeated(30, (index) => `a${index}: pets(limit: $n) { id name }`)} }`,
    '1:1: The operation has a complexity of 6300; at most 5000 is allowed, and the limit of a list multiplies the cost of its fields',
  ],
  'empty.graphql': ['', '1:1: Syntax Error: Unexpected <EOF>.'],
  'fragment.graphql': ['fragment P on Pet { id }', '1:1: Fragment "P" is never used.'],
  'fragment/elsewhere.gql': [
    '{\n  petz { id }\n  pets { ...P }\n}',
    '2:3: Cannot query field "petz" on type "Query". Did you mean "pet" or "pets"?',
    '3:13: Unknown fragment "P".',
  ],
  'latin1.graphql': [Buffer.from('query R\u00e9x { __typename }', 'latin1'), 'it is not UTF-8'],
  'many/persisted-documents.json': [
    codegenManifest('', '{ nope }'),
    `"${sha256('{ nope }')}": 1:3: Cannot query field "nope" on type "Query".`,
  ],
  'names/persisted-documents.json': [JSON.stringify({ Good: GOOD }), `"Good": ${NO_HASH}`],
  'names/persisted-query-manifest.json': [
    apolloManifest({ id: 'x', body: GOOD }),
    `"x": ${NO_HASH}`,
  ],
  'no-json/persisted-documents.json': ['{', NO_MANIFEST],
  'no-manifest/persisted-documents.json': ['{"x":7}', NO_MANIFEST],
  'no-manifest/persisted-query-manifest.json': [apolloManifest({ id: 'x' }), NO_MANIFEST],
  'no-object/persisted-documents.json': ['[]', NO_MANIFEST],
  'nul.graphql': ['{ __typename } # a \0', "it contains NUL, which can't be stored"],
  'schema.graphql': ['type Pet { id: ID }', '1:1: The "Pet" definition is not executable.'],
  'sha1/persisted-documents.json': [
    codegenManifest('sha1:', GOOD),
    `"sha1:${sha256(GOOD)}": ${NO_HASH}`,
  ],
  'subscription.graphql': [
    'subscription { pets { id } }',
    '1:1: The schema has no subscription operations.',
  ],
  'tokens.graphql': [
    `{ ${'a: b '.repeat(1000)} }`,
    '1:1668: The document has too many tokens; at most 1000 are allowed',
  ],
  'unfinished.graphql': ['{ pets { id }', '1:14: Syntax Error: Expected Name, found <EOF>.'],
};

test('every fault is told with its file, and nothing is stored', async () => {
  const files = Object.entries(FAULTY).map(([path, [content]]) => [path, content] as const);
  const directory = await folderOf({ 'a/good.graphql': GOOD, ...Object.fromEntries(files) });
  const faults = Object.entries(FAULTY).flatMap(([path, [, ...told]]) =>
    told.map((fault) => `documents: ${join(directory, path)}: ${fault}\n`),
  );
  expect(await run(directory)).toEqual({
    code: 1,
    stdout: '',
    stderr: `${faults.join('')}documents: nothing was stored\n`,
  });
  expect(await tables.trustedDocument.count()).toBe(0);
});

test('one fault is enough, and a file may not forge lines with its name', async () => {
  const directory = await folderOf({ 'good.graphql': GOOD, 'a\nb.graphql': '{' });
  expect(await run(directory)).toEqual({
    code: 1,
    stdout: '',
    stderr: [
      String.raw`documents: ${directory}/a\u{a}b.graphql: 1:2: Syntax Error: Expected Name, found <EOF>.`,
      'documents: nothing was stored\n',
    ].join('\n'),
  });
  expect(await tables.trustedDocument.count()).toBe(0);
});

test('symbolic links are not followed, where they may lead in a circle', async () => {
  const directory = await folderOf({ 'a/good.graphql': GOOD, 'b/readme.md': '' });
  await symlink(directory, join(directory, 'b/circle'));
  await symlink(join(directory, 'b'), join(directory, 'a/circle'));
  expect(await run(directory)).toMatchObject({ code: 0, stdout: `${sha256(GOOD)}  Good\n` });
  expect(await run('--remove', sha256(GOOD))).toMatchObject({ code: 0 });
});

test('a folder without documents, and one that is not there, are told', async () => {
  const directory = await folderOf({ 'readme.md': '' });
  expect(await run(directory)).toEqual({
    code: 1,
    stdout: '',
    stderr: `documents: there is no .graphql or .gql file and no manifest in ${directory}\n`,
  });
  const missing = join(directory, 'missing');
  expect(await run(missing)).toEqual({
    code: 1,
    stdout: '',
    stderr: `documents: ${missing} can't be read: ENOENT: no such file or directory, scandir '${missing}'\n`,
  });
});

const USAGE = 'give either DIR, --list or --remove HASH; see --help';
test.each<[string[], string]>([
  [[], USAGE],
  [['one', 'two'], USAGE],
  [['one', '--list'], USAGE],
  [['--list', '--remove', 'x'], USAGE],
  [['--remove', 'ListPets'], 'HASH must be the hash of a document, as --list shows it; see --help'],
  [['--remove'], "Option '--remove <value>' argument missing; see --help"],
])('documents %j is not understood', async (args, message) => {
  expect(await run(...args)).toEqual({ code: 2, stdout: '', stderr: `documents: ${message}\n` });
});

test('--help tells what is hashed, and does nothing else', async () => {
  const { code, stdout, stderr } = await run('anywhere', '--help');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain('SHA-256 of its UTF-8 text');
});
