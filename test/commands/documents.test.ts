import { documents } from '../support/store-commands.ts';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runInProcess } from '../support/command.ts';
import { apolloManifest, codegenManifest, folderOf, sha256 } from '../support/documents.ts';
import { startGateway } from '../support/gateway.ts';

const { tables, databaseUrl, post } = await startGateway({ trustedDocumentsOnly: true });

const run = (...args: string[]) =>
  runInProcess(documents, args, { env: { DATABASE_URL: databaseUrl } });

const stored = async (hash: string) =>
  (await tables.trustedDocument.findUnique({ where: { hash } }))?.document;

test('npm run documents stores all documents below a folder, which can then be executed by hash', async () => {
  const texts = {
    file: '# 🐈\r\nquery File { __typename }\n\n',
    marked: '\uFEFFquery Marked { __typename }',
    two: 'query Two { __typename } query Three { ...F } fragment F on Query { __typename }',
    nameless: '{ __typename }',
    codegen: 'fragment Parts on Pet { id } query Codegen { pets { ...Parts } }',
    older: 'query Older { __typename }',
    apollo: 'query Apollo {\n  pets {\n    id\n    __typename\n  }\n}',
  };
  const directory = await folderOf({
    'a.graphql': texts.file,
    'b/c/marked.gql': texts.marked,
    'b/two.graphql': texts.two,
    'b/nameless.graphql': texts.nameless,
    'c/persisted-documents.json': codegenManifest('sha256:', texts.codegen),
    'd/persisted-documents.json': codegenManifest('', texts.older),
    'e/persisted-query-manifest.json': apolloManifest({
      id: sha256(texts.apollo),
      name: 'Apollo',
      type: 'query',
      body: texts.apollo,
    }),
    'node_modules/x/x.graphql': 'nonsense',
    'd/node_modules/x/persisted-documents.json': 'nonsense',
    'package.json': 'nonsense',
    'e/query.ts': 'nonsense',
  });
  expect(await run(directory)).toEqual({
    code: 0,
    stdout: [
      `${sha256(texts.file)}  File\n`,
      `${sha256(texts.marked)}  Marked\n`,
      `${sha256(texts.nameless)}  (unnamed)\n`,
      `${sha256(texts.two)}  Two, Three\n`,
      `${sha256(texts.codegen)}  Codegen\n`,
      `${sha256(texts.older)}  Older\n`,
      `${sha256(texts.apollo)}  Apollo\n`,
    ].join(''),
    stderr: '',
  });
  for (const text of Object.values(texts)) {
    expect(await stored(sha256(text))).toBe(text);
    const { json } = await post('/graphql', {
      documentId: sha256(text),
      ...(text === texts.two ? { operationName: 'Three' } : {}),
    });
    expect(json).toMatchObject({ data: {} });
  }
});

test('storing trusted documents again does not change or remove any', async () => {
  const one = 'query One { pets { id } }';
  const other = 'query Other { pets { id } }';
  expect(await run(await folderOf({ 'one.graphql': one }))).toMatchObject({ code: 0 });
  const before = await tables.trustedDocument.findMany({ orderBy: { hash: 'asc' } });
  const again = await folderOf({ 'one.graphql': one, 'copy.graphql': one });
  expect(await run(again)).toEqual({ code: 0, stdout: `${sha256(one)}  One\n`, stderr: '' });
  expect(await tables.trustedDocument.findMany({ orderBy: { hash: 'asc' } })).toEqual(before);
  expect(await run(await folderOf({ 'other.graphql': other }))).toMatchObject({ code: 0 });
  expect(await stored(sha256(one))).toBe(one);
});

test('documents --list lists a trusted document until documents --remove removes it', async () => {
  const document = 'query Withdrawn { __typename }';
  const hash = sha256(document);
  expect(await run(await folderOf({ 'x.graphql': document }))).toMatchObject({ code: 0 });
  expect((await run('--list')).stdout).toMatch(
    new RegExp(String.raw`^${hash}  \d{4}-\d\d-\d\dT[\d:.]+Z  Withdrawn$`, 'm'),
  );
  expect(await run('--remove', hash)).toEqual({ code: 0, stdout: `removed ${hash}\n`, stderr: '' });
  expect((await run('--list')).stdout).not.toContain(hash);
  expect(await post('/graphql', { documentId: hash })).toMatchObject({ status: 403 });
  expect(await run('--remove', `sha256:${hash}`)).toEqual({
    code: 1,
    stdout: '',
    stderr: `documents: there is no document ${hash}; see --list\n`,
  });
});

const GOOD = 'query Good { pets { name } }';
const NO_HASH = `its identifier is not its SHA-256, which is ${sha256(GOOD)}; graphql-codegen needs hashAlgorithm: 'sha256'`;
const NO_MANIFEST = 'it is not a graphql-codegen or Apollo manifest';
const repeated = (count: number, part: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => part(index)).join(' ');

/** Files by path, each with its content and its faults. */
const FAULTY: Readonly<Record<string, readonly [string | Uint8Array, ...string[]]>> = {
  'aliases.graphql': [
    `{ ${repeated(31, (index) => `a${index}: __typename`)} }`,
    '1:1: The document has 31 aliases; at most 30 are allowed',
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
  'unfinished.graphql': ['{ pets { id }', '1:14: Syntax Error: Expected Name, found <EOF>.'],
};

test('npm run documents reports every fault with its file and then stores nothing', async () => {
  const before = await tables.trustedDocument.count();
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
  expect(await tables.trustedDocument.count()).toBe(before);
});

test('one faulty document prevents all documents from being stored, and its file name cannot forge lines', async () => {
  const before = await tables.trustedDocument.count();
  const directory = await folderOf({ 'good.graphql': GOOD, 'a\nb.graphql': '{' });
  expect(await run(directory)).toEqual({
    code: 1,
    stdout: '',
    stderr: [
      String.raw`documents: ${directory}/a\u{a}b.graphql: 1:2: Syntax Error: Expected Name, found <EOF>.`,
      'documents: nothing was stored\n',
    ].join('\n'),
  });
  expect(await tables.trustedDocument.count()).toBe(before);
});

test('npm run documents does not follow symbolic links', async () => {
  const directory = await folderOf({ 'a/good.graphql': GOOD, 'b/readme.md': '' });
  await symlink(directory, join(directory, 'b/circle'));
  await symlink(join(directory, 'b'), join(directory, 'a/circle'));
  expect(await run(directory)).toMatchObject({ code: 0, stdout: `${sha256(GOOD)}  Good\n` });
  expect(await run('--remove', sha256(GOOD))).toMatchObject({ code: 0 });
});

test('npm run documents reports a folder without documents or a missing folder', async () => {
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
    stderr: `documents: could not read ${missing}: ENOENT: no such file or directory, scandir '${missing}'\n`,
  });
});
