import { codedError } from '@gateway/errors/coded-error';
import { isJsonObject } from '@gateway/exact-json/json';
import { hashOfIdentifier } from './document-id.ts';

/** The parameters of a request that say which document it wants executed. */
export interface DocumentParameters {
  readonly query: unknown;
  readonly documentId: unknown;
  readonly extensions: Readonly<Record<string, unknown>> | undefined;
}

/** What a request asks to be executed: a text, with or without the hash that the client has for it, or a hash. */
export type RequestedDocument =
  | { readonly query: string; readonly hash: string | undefined }
  | { readonly query: undefined; readonly hash: string };

/** @throws GraphQLError BAD_USER_INPUT if the request names no document */
export function requestedDocument(parameters: DocumentParameters): RequestedDocument {
  const { query } = parameters;
  const hash = identifiedHash(parameters);
  // Some clients send an empty query with an identifier.
  if (hash !== undefined && (query == null || query === '')) {
    return { query: undefined, hash };
  }
  if (typeof query !== 'string') {
    throw codedError('BAD_USER_INPUT', 'query must be a string with a GraphQL document');
  }
  return { query, hash };
}

/**
 * The hash by which a request names its document, if it does: as GraphQL over HTTP's appendix "Persisted
 * Documents" has it, or as Apollo's clients and urql send it.
 */
function identifiedHash({ documentId, extensions }: DocumentParameters): string | undefined {
  const persisted = extensions?.['persistedQuery'];
  if (documentId != null) {
    return required(
      hashOfIdentifier(documentId),
      'documentId must be sha256: and 64 lower-case hexadecimal digits, or the digits alone',
    );
  }
  if (persisted != null) {
    return required(
      isJsonObject(persisted) && persisted['version'] === 1
        ? hashOfIdentifier(persisted['sha256Hash'])
        : undefined,
      'extensions.persistedQuery must have version 1 and a sha256Hash of 64 lower-case hexadecimal digits',
    );
  }
  return undefined;
}

function required(hash: string | undefined, message: string): string {
  if (hash === undefined) {
    throw codedError('BAD_USER_INPUT', message);
  }
  return hash;
}
