import { createHash } from 'node:crypto';
import { beforeEach, expect, test, vi } from 'vitest';
import { operationParameters, parametersOfQuery } from '../src/yoga-server.ts';
import { createDocumentReader } from '../src/trusted-documents.ts';

const STORED = '{ things { id } }';
const hash = createHash('sha256').update(STORED).digest('hex');
const OTHER = '{ thing { id } }';
const otherHash = createHash('sha256').update(OTHER).digest('hex');
const findDocument = vi.fn<(wanted: string) => Promise<string | undefined>>(async (wanted) =>
  wanted === hash ? STORED : undefined,
);
const persisted = (sha256Hash: string) => ({ persistedQuery: { version: 1, sha256Hash } });

beforeEach(() => {
  findDocument.mockClear();
});

const read = createDocumentReader(findDocument);
const parametersOf = async (documents: 'any' | 'trusted', sent: Record<string, unknown>) =>
  operationParameters(sent, (parameters) => read(parameters, documents === 'trusted'));

test.each([
  { documentId: hash },
  { documentId: `sha256:${hash}`, query: '' },
  { extensions: persisted(hash) },
  { query: STORED, documentId: hash },
  { query: STORED },
])('%j names a stored document', async (sent) => {
  expect(await parametersOf('any', sent)).toMatchObject({ query: STORED });
  expect(await parametersOf('trusted', sent)).toMatchObject({ query: STORED });
});

test.each([
  [
    'any',
    { documentId: otherHash },
    'NOT_FOUND',
    `No document is stored with the SHA-256 ${otherHash}`,
  ],
  ['any', { extensions: persisted(otherHash) }, 'NOT_FOUND', 'PersistedQueryNotFound'],
  ['trusted', { extensions: persisted(otherHash) }, 'DOCUMENT_NOT_TRUSTED', otherHash],
  ['trusted', { query: OTHER }, 'DOCUMENT_NOT_TRUSTED', otherHash],
  ['any', { query: OTHER, documentId: hash }, 'BAD_USER_INPUT', 'not the SHA-256 of query'],
  ['any', { documentId: 'x' }, 'BAD_USER_INPUT', 'documentId must be sha256: and 64'],
  ['any', { extensions: { persistedQuery: {} } }, 'BAD_USER_INPUT', 'must have version 1 and'],
  ['any', {}, 'BAD_USER_INPUT', 'query must be a string with a GraphQL document'],
  ['any', { query: OTHER, variables: [] }, 'BAD_USER_INPUT', 'variables must be a JSON object'],
  ['any', { query: OTHER, extensions: 1 }, 'BAD_USER_INPUT', 'extensions must be a JSON object'],
  ['any', { query: OTHER, operationName: 1 }, 'BAD_USER_INPUT', 'operationName must be a string'],
] as const)('%s documents: %j is %s', async (documents, sent, code, message) => {
  const rejected = parametersOf(documents, sent);
  await expect(rejected).rejects.toThrow(message);
  await expect(rejected).rejects.toHaveProperty('extensions.code', code);
});

test('known documents are cached, unknown ones are looked up each time', async () => {
  const readNew = createDocumentReader(findDocument);
  for (const documentId of [hash, hash, otherHash, otherHash]) {
    const sent = { query: undefined, documentId, extensions: undefined };
    await Promise.resolve(readNew(sent, true)).catch(() => undefined);
  }
  expect(findDocument.mock.calls).toEqual([[hash], [otherHash], [otherHash]]);
});

test('null is as good as absent', async () => {
  const sent = { query: OTHER, operationName: null, variables: null, extensions: null };
  expect(await parametersOf('any', sent)).toEqual({ query: OTHER });
});

test('a query string has exact integers, and each parameter once', () => {
  const variables = '{"id":9007199254740993}';
  expect(parametersOfQuery(`?query=x&variables=${encodeURIComponent(variables)}`)).toMatchObject({
    query: 'x',
    variables: { id: 9007199254740993n },
  });
  expect(() => parametersOfQuery('?query=x&query=y')).toThrow('query must not be repeated');
  expect(() => parametersOfQuery('?variables=%7B')).toThrow('variables must be a JSON object');
});
