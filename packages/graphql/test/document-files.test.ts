import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readDocuments } from '../src/trusted-documents.ts';
import { schema } from './things.ts';

const folder = await mkdtemp(join(tmpdir(), 'documents-'));
afterAll(() => rm(folder, { recursive: true }));

const QUERY = 'query Things { things { id } }';
const hash = createHash('sha256').update(QUERY).digest('hex');

/** Reads a folder with these files. @returns its documents, and its faults without the path of the folder */
async function read(files: Record<string, string | Uint8Array>) {
  const directory = await mkdtemp(join(folder, 'case-'));
  for (const [name, content] of Object.entries(files)) {
    await mkdir(join(directory, name, '..'), { recursive: true });
    await writeFile(join(directory, name), content);
  }
  const { documents, faults } = await readDocuments(schema, directory);
  return { documents, faults: faults.map((fault) => fault.replace(`${directory}/`, '')) };
}

test('documents are read from files in all formats, without duplicates', async () => {
  const manifest = {
    format: 'apollo-persisted-query-manifest',
    version: 1,
    operations: [{ id: hash, body: QUERY }],
  };
  const { documents, faults } = await read({
    'a/things.graphql': QUERY,
    'persisted-documents.json': JSON.stringify({ [hash]: QUERY }),
    'persisted-query-manifest.json': JSON.stringify(manifest),
    'node_modules/other.graphql': '{ x }',
    'readme.txt': 'nothing',
  });
  expect(faults).toEqual([]);
  expect(documents).toEqual([{ hash, document: QUERY, operations: ['Things'] }]);
});

test('every fault in a document file is reported with the name of the file', async () => {
  const { faults } = await read({
    'a.graphql': '{ x }',
    'b.gql': '{ things(limit: 5000) { id } }',
    'c.graphql': '{',
    'd.graphql': Uint8Array.of(0xff),
    'persisted-documents.json': JSON.stringify({ md5: QUERY }),
    'persisted-query-manifest.json': '[]',
  });
  expect(faults).toEqual([
    'a.graphql: 1:3: Cannot query field "x" on type "Query".',
    'b.gql: 1:1: The operation has a complexity of 5010; at most 5000 is allowed, and the limit of a list multiplies the cost of its fields',
    'c.graphql: 1:2: Syntax Error: Expected Name, found <EOF>.',
    'd.graphql: it is not UTF-8',
    `persisted-documents.json: "md5": its identifier is not its SHA-256, which is ${hash}; graphql-codegen needs hashAlgorithm: 'sha256'`,
    'persisted-query-manifest.json: it is not a graphql-codegen or Apollo manifest',
  ]);
});
