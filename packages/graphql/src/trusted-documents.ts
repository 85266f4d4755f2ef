import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import { codedError } from '@store-gateway/ops/errors';
import { isJsonObject } from '@store-gateway/ops';
import { type DocumentNode, GraphQLError, type GraphQLSchema, specifiedRules } from 'graphql';
import { complexityFault } from './bounds/complexity.ts';
import { definitionsOf, parseWithinBounds, validateWithinBounds } from './bounds/document.ts';

/** The parameters of a request that identify its document. */
interface DocumentParameters {
  readonly query: unknown;
  readonly documentId: unknown;
  readonly extensions: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Returns the text of a request's document. Returns a promise only if it is read from the database.
 *
 * @param trustedOnly whether only stored documents may be executed
 * @throws GraphQLError with a code if the request identifies no document that may be executed
 */
type ReadDocument = (
  parameters: DocumentParameters,
  trustedOnly: boolean,
) => string | Promise<string>;

/** Finds the text of a stored document by its hash, if there is one. */
export type FindDocument = (hash: string) => Promise<string | undefined>;

/** The cache's options. A removed document may still be executed for `ttl` milliseconds. */
const CACHE = { max: 1000, ttl: 60_000 };

/**
 * Returns a function that reads a request's document: the text in the request, or the document stored under its hash. It caches
 * 1,000 documents for a minute.
 *
 * @param findDocument finds a stored document by its SHA-256 in hex
 */
export function createDocumentReader(findDocument: FindDocument): ReadDocument {
  // Unknown hashes aren't cached, because clients can invent any number of them.
  const cache = new LRUCache<string, string>(CACHE);

  /** @param missing returns the error for an unknown hash */
  async function stored(hash: string, missing: (hash: string) => Error): Promise<string> {
    let document = cache.get(hash);
    if (document === undefined) {
      document = await findDocument(hash);
      if (document === undefined) {
        throw missing(hash);
      }
      cache.set(hash, document);
    }
    return document;
  }

  return ({ query, documentId, extensions }, trustedOnly) => {
    const hash = identifiedHash(documentId, extensions?.['persistedQuery']);
    // Some clients send an empty query with an identifier.
    if (hash !== undefined && (query == null || query === '')) {
      return stored(hash, trustedOnly ? notTrusted : (unknown) => notFound(unknown, documentId));
    }
    if (typeof query !== 'string') {
      throw codedError('BAD_USER_INPUT', 'query must be a string with a GraphQL document');
    }
    // The hash of persistedQuery isn't verified: as a fallback, clients also send the text, which they may print differently from
    // the text that their generator hashed.
    if (documentId != null && hash !== hashOfDocument(query)) {
      throw codedError('BAD_USER_INPUT', 'The identifier is not the SHA-256 of query');
    }
    return trustedOnly ? stored(hashOfDocument(query), notTrusted) : query;
  };
}

/**
 * Returns the hash by which a request identifies its document, in the format of a draft of GraphQL over HTTP ("Persisted
 * Documents"), or in that of Apollo's clients and urql.
 */
function identifiedHash(documentId: unknown, persisted: unknown): string | undefined {
  if (documentId == null && persisted == null) {
    return undefined;
  }
  const isCurrent = isJsonObject(persisted) && persisted['version'] === 1;
  const identifier = documentId ?? (isCurrent ? persisted['sha256Hash'] : undefined);
  const hash = hashOfIdentifier(identifier);
  if (hash === undefined) {
    throw codedError(
      'BAD_USER_INPUT',
      documentId == null
        ? 'extensions.persistedQuery must have version 1 and a sha256Hash of 64 lower-case hexadecimal digits'
        : 'documentId must be sha256: and 64 lower-case hexadecimal digits, or the digits alone',
    );
  }
  return hash;
}

function notTrusted(hash: string): Error {
  return codedError(
    'DOCUMENT_NOT_TRUSTED',
    `Only trusted documents may be executed, and no document is stored with the SHA-256 ${hash}`,
  );
}

/**
 * Returns the error for an unknown hash. Clients of Apollo's automatic persisted queries recognize the error's text, and then
 * send the document as well.
 */
function notFound(hash: string, documentId: unknown): Error {
  const error = codedError(
    'NOT_FOUND',
    documentId == null
      ? 'PersistedQueryNotFound'
      : `No document is stored with the SHA-256 ${hash}`,
  );
  // `spec` marks the request as well-formed, so clients that accept application/json get 200.
  error.extensions.http = { status: 404, spec: true };
  return error;
}

/** Returns the hash that a document is stored under: its SHA-256 in lower-case hexadecimal digits. */
export function hashOfDocument(document: string): string {
  return createHash('sha256').update(document).digest('hex');
}

/**
 * Returns the hash in a document identifier: `sha256:` and 64 digits (GraphQL over HTTP, appendix "Persisted Documents"), or the
 * digits alone, as generators write them. Returns undefined for anything else.
 */
export function hashOfIdentifier(identifier: unknown): string | undefined {
  return typeof identifier === 'string'
    ? /^(?:sha256:)?([0-9a-f]{64})$/.exec(identifier)?.[1]
    : undefined;
}

/** A document and its SHA-256 in hexadecimal digits. */
export interface StoredDocument {
  readonly hash: string;
  readonly document: string;
}

/** Matches GraphQL files, and the manifests that graphql-codegen's client preset and Apollo's generator write by default. */
const FILE = /\.(?:graphql|gql)$|^persisted-(?:documents|query-manifest)\.json$/;

/** The documents in a folder, and their faults. */
interface ReadDocuments {
  /** Each document once, with the names of its operations. */
  readonly documents: readonly (StoredDocument & { readonly operations: readonly string[] })[];
  /** The faults, each with the path of its file. If there are any, no document should be stored. */
  readonly faults: readonly string[];
}

/** Reads and checks every document in a folder and the folders below it, except installed packages. */
export async function readDocuments(
  schema: GraphQLSchema,
  directory: string,
): Promise<ReadDocuments> {
  const documents = new Map<string, ReadDocuments['documents'][number]>();
  const faults: string[] = [];
  for (const file of await filesIn(directory)) {
    const entries = entriesOf(file, await readFile(file));
    if (typeof entries === 'string') {
      faults.push(`${file}: ${entries}`);
      continue;
    }
    for (const { identifier, text } of entries) {
      const hash = hashOfDocument(text);
      const { operations, faults: found } = checkDocument(schema, text);
      const place = identifier === undefined ? file : `${file}: "${identifier}"`;
      if (identifier !== undefined && hashOfIdentifier(identifier) !== hash) {
        faults.push(
          `${place}: its identifier is not its SHA-256, which is ${hash}; graphql-codegen needs hashAlgorithm: 'sha256'`,
        );
      }
      if (text.includes('\0')) {
        faults.push(`${place}: it contains NUL, which can't be stored`);
      }
      faults.push(...found.map((fault) => `${place}: ${fault}`));
      documents.set(hash, { hash, document: text, operations });
    }
  }
  return { documents: [...documents.values()], faults };
}

/** Finds the files in a folder that may contain documents. It doesn't follow symbolic links, which may form a cycle. */
async function filesIn(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { withFileTypes: true });
  const found = await Promise.all(
    entries.map(async (entry) => {
      const path = join(directory, entry.name);
      if (entry.isDirectory()) {
        return entry.name === 'node_modules' ? [] : filesIn(path);
      }
      return entry.isFile() && FILE.test(entry.name) ? [path] : [];
    }),
  );
  return found.flat().toSorted();
}

/** A document and, if it comes from a manifest, the identifier that clients send instead of it. */
interface DocumentEntry {
  readonly identifier?: string;
  readonly text: string;
}

/** Returns the documents in a file, or the reason why there are none. */
function entriesOf(file: string, bytes: Uint8Array): readonly DocumentEntry[] | string {
  let text: string;
  try {
    // A byte order mark is kept, because the hash includes it.
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return 'it is not UTF-8';
  }
  return file.endsWith('.json')
    ? (readManifest(text) ?? 'it is not a graphql-codegen or Apollo manifest')
    : [{ text }];
}

/**
 * Reads a manifest: graphql-codegen's `{ identifier: document }`, or Apollo's list of operations, each with an `id` and a
 * `body`.
 *
 * @returns undefined if it is neither
 */
function readManifest(json: string): DocumentEntry[] | undefined {
  let manifest: unknown;
  try {
    manifest = JSON.parse(json);
  } catch {
    return undefined;
  }
  if (!isJsonObject(manifest)) {
    return undefined;
  }
  const { format, operations } = manifest;
  const entries: readonly (readonly unknown[])[] =
    format === 'apollo-persisted-query-manifest' && Array.isArray(operations)
      ? operations.map((entry: unknown) =>
          isJsonObject(entry) ? [entry['id'], entry['body']] : [],
        )
      : Object.entries(manifest);
  const read = entries.flatMap(([identifier, text]) =>
    typeof identifier === 'string' && typeof text === 'string' ? { identifier, text } : [],
  );
  return read.length === entries.length ? read : undefined;
}

/** The result of checking a document. */
interface CheckedDocument {
  /** The names of its operations. */
  readonly operations: readonly string[];
  /** The reasons why it can't be executed, each with its line and column; empty if it can. */
  readonly faults: readonly string[];
}

/** Checks a document in the same way as a request's document, but without variables. */
export function checkDocument(schema: GraphQLSchema, text: string): CheckedDocument {
  let document: DocumentNode;
  try {
    document = parseWithinBounds(text);
  } catch (error) {
    if (error instanceof GraphQLError) {
      return { operations: [], faults: [faultText(error)] };
    }
    throw error;
  }
  const operations = definitionsOf(document).operations.map(({ name }) => name?.value ?? '');
  const errors = validateWithinBounds(schema, document, specifiedRules);
  const faults =
    errors.length > 0
      ? errors
      : operations.flatMap(
          (name) => complexityFault({ schema, document, operationName: name || null }) ?? [],
        );
  return { operations, faults: faults.map(faultText) };
}

function faultText({ message, locations }: GraphQLError): string {
  const [place] = locations ?? [];
  return place === undefined ? message : `${place.line}:${place.column}: ${message}`;
}
