import type { GraphQLError } from 'graphql';
import { LRUCache } from 'lru-cache';
import { codedError } from '@gateway/errors/coded-error';
import { hashOfDocument } from './document-id.ts';
import { requestedDocument, type DocumentParameters } from './document-parameters.ts';

/**
 * The text of the document that a request wants executed.
 *
 * @throws GraphQLError of the closed list if it names none, or none that may be executed
 */
export type ReadDocument = (parameters: DocumentParameters) => Promise<string>;

/**
 * Documents that are kept in memory, and for how many milliseconds: so long may one that has been
 * withdrawn be executed still.
 */
const KEPT = { max: 1000, ttl: 60_000 };

/** The text of a stored document by its hash, if there is one. */
export type FindDocument = (hash: string) => Promise<string | undefined>;

/** @param trustedOnly whether a text has to be that of a stored document */
export function createDocumentReader(
  findDocument: FindDocument,
  trustedOnly: boolean,
): ReadDocument {
  // Unknown hashes are not kept: anybody can make up as many as they like.
  const kept = new LRUCache<string, string>(KEPT);

  async function storedDocument(hash: string): Promise<string | undefined> {
    let document = kept.get(hash);
    if (document === undefined) {
      document = await findDocument(hash);
      if (document !== undefined) {
        kept.set(hash, document);
      }
    }
    return document;
  }

  return async (parameters) => {
    const { query, hash } = requestedDocument(parameters);
    if (query !== undefined && hash !== undefined && hash !== hashOfDocument(query)) {
      throw codedError('BAD_USER_INPUT', 'The identifier is not the SHA-256 of query');
    }
    if (query !== undefined && !trustedOnly) {
      return query;
    }
    const wanted = query === undefined ? hash : hashOfDocument(query);
    const document = await storedDocument(wanted);
    if (document === undefined) {
      throw trustedOnly ? notTrusted(wanted) : notFound(wanted, parameters);
    }
    return document;
  };
}

function notTrusted(hash: string): GraphQLError {
  return codedError(
    'DOCUMENT_NOT_TRUSTED',
    `Only trusted documents are executed here, and none is stored with the SHA-256 ${hash}`,
  );
}

function notFound(hash: string, { documentId }: DocumentParameters): GraphQLError {
  const error = codedError(
    'NOT_FOUND',
    // By this text clients of automatic persisted queries know that they have to send the query as well.
    documentId == null
      ? 'PersistedQueryNotFound'
      : `No document is stored with the SHA-256 ${hash}`,
  );
  // `spec`: the request is well-formed, so a client that asks for application/json gets 200.
  error.extensions.http = { status: 404, spec: true };
  return error;
}
