import { documents } from '../support/store-commands.ts';
import { expect, test } from 'vitest';
import { runInProcess } from '../support/command.ts';
import { apolloManifest, codegenManifest, folderOf, sha256 } from '../support/documents.ts';
import { startGateway } from '../support/gateway.ts';

const { tables, databaseUrl, post } = await startGateway({ trustedDocumentsOnly: true });

const run = (...args: string[]) =>
  runInProcess(documents, args, { env: { DATABASE_URL: databaseUrl } });

const stored = async (hash: string) =>
  (await tables.trustedDocument.findUnique({ where: { hash } }))?.document;

test('the documents of all files below a folder are stored, and executed by their hashes', async () => {
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

test('storing again changes nothing, and takes nothing away', async () => {
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

test('a document is listed, and not any more once it is removed', async () => {
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
