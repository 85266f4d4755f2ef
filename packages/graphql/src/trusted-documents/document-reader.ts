import { LRUCache } from 'lru-cache';
import { codedError } from '@store-gateway/ops/errors';
import { isJsonObject } from '@store-gateway/ops';
import { createHash } from 'node:crypto';

/** The parameters of a request that identify its document. */
export interface DocumentParameters {
  readonly query: unknown;
  readonly documentId: unknown;
  readonly extensions: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Returns the text of a request's document; a promise only if it is read from the database.
 *
 * @param trustedOnly whether only stored documents may be executed
 * @throws GraphQLError of the closed list if the request identifies no document that may be executed
 */
type ReadDocument = (
  parameters: DocumentParameters,
  trustedOnly: boolean,
) => string | Promise<string>;

/** Finds the text of a stored document by its hash, if there is one. */
export type FindDocument = (hash: string) => Promise<string | undefined>;

/** A removed document may still be executed for `ttl` milliseconds. */
const CACHE = { max: 1000, ttl: 60_000 };

/**
 * Returns a function that reads the document of a request: its text, or the document stored under its hash. It caches 1,000
 * documents for a minute.
 *
 * @param findDocument finds a stored document by its SHA-256 in hex
 */
export function createDocumentReader(findDocument: FindDocument): ReadDocument {
  // Unknown hashes are not cached: clients can make up as many as they like.
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
    // The hash of persistedQuery isn't checked: clients fall back to it with a text that they may print differently from what
    // their generator hashed.
    if (documentId != null && hash !== hashOfDocument(query)) {
      throw codedError('BAD_USER_INPUT', 'The identifier is not the SHA-256 of query');
    }
    return trustedOnly ? stored(hashOfDocument(query), notTrusted) : query;
  };
}

/**
 * The hash by which a request identifies its document, as in a draft of GraphQL over HTTP ("Persisted Documents"), or as
 * Apollo's clients and urql send it.
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
 * The error for an unknown hash. By Apollo's text, clients of automatic persisted queries know that they have to send the query
 * as well.
 */
function notFound(hash: string, documentId: unknown): Error {
  const error = codedError(
    'NOT_FOUND',
    documentId == null
      ? 'PersistedQueryNotFound'
      : `No document is stored with the SHA-256 ${hash}`,
  );
  // `spec`: the request is well-formed, so a client that asks for application/json gets 200.
  error.extensions.http = { status: 404, spec: true };
  return error;
}

/** The hash that a document is stored under: its SHA-256 in lower-case hexadecimal digits. */
export function hashOfDocument(document: string): string {
  return createHash('sha256').update(document).digest('hex');
}

/**
 * The hash of a document identifier: `sha256:` and 64 digits (the appendix "Persisted Documents" of GraphQL over HTTP), or
 * the digits alone, as generators write it. Undefined for anything else.
 */
export function hashOfIdentifier(identifier: unknown): string | undefined {
  return typeof identifier === 'string'
    ? /^(?:sha256:)?([0-9a-f]{64})$/.exec(identifier)?.[1]
    : undefined;
}
