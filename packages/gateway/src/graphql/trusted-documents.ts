import type { StoredDocument } from '@store-gateway/graphql/execution';
import type { RunStatement } from '@store-gateway/ops';

interface DocumentRecord extends StoredDocument {
  readonly createdAt: Date;
}

interface Documents {
  readonly $write: RunStatement;
}

const FIND_BY_HASH = {
  name: 'find-document-by-hash',
  text: 'SELECT document FROM _gateway_trusted_documents WHERE hash = $1',
};

const STORE = {
  name: 'store-documents',
  text: `
    INSERT INTO _gateway_trusted_documents (hash, document) SELECT * FROM unnest($1::text[], $2::text[])
    ON CONFLICT DO NOTHING`,
};

const LIST = {
  name: 'list-documents',
  text: `
    SELECT hash, document, (extract(epoch FROM created_at) * 1000)::bigint
    FROM _gateway_trusted_documents ORDER BY created_at, hash COLLATE "C"`,
};

const REMOVE = {
  name: 'remove-document',
  text: 'DELETE FROM _gateway_trusted_documents WHERE hash = $1 RETURNING hash',
};

/** Finds the text of a document by its SHA-256 in hexadecimal digits. */
export async function findDocument(
  { $read }: { readonly $read: RunStatement },
  hash: string,
): Promise<string | undefined> {
  const [row] = await $read(FIND_BY_HASH, [hash]);
  return row?.[0] ?? undefined;
}

/** Stores all documents or none. Existing documents stay unchanged. */
export async function storeDocuments(
  { $write }: Documents,
  documents: readonly StoredDocument[],
): Promise<void> {
  await $write(STORE, [
    documents.map(({ hash }) => hash),
    documents.map(({ document }) => document),
  ]);
}

/** Returns all documents, oldest first. */
export async function listDocuments({ $write }: Documents): Promise<DocumentRecord[]> {
  return (await $write(LIST, [])).map(([hash, document, createdAt]) => ({
    hash: hash ?? '',
    document: document ?? '',
    createdAt: new Date(Number(createdAt)),
  }));
}

/** Removes a document. @returns whether there was one */
export async function removeDocument({ $write }: Documents, hash: string): Promise<boolean> {
  return (await $write(REMOVE, [hash])).length > 0;
}
