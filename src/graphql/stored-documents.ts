import type { StoredDocument } from '@gateway/yoga-guards/trusted-documents/document-files';
import type { Database } from '../database/client.ts';

interface DocumentRecord extends StoredDocument {
  readonly createdAt: Date;
}

type Documents = Pick<Database, 'trustedDocument'>;

export async function findDocument(
  { trustedDocument }: Documents,
  hash: string,
): Promise<string | undefined> {
  return trustedDocument.findByHash(hash);
}

/** Stores all documents or none; existing ones stay as they are. */
export async function storeDocuments(
  { trustedDocument }: Documents,
  documents: readonly StoredDocument[],
): Promise<void> {
  const data = documents.map(({ hash, document }) => ({ hash, document }));
  await trustedDocument.createMany({ data, skipDuplicates: true });
}

/** All documents, oldest first. */
export async function listDocuments({ trustedDocument }: Documents): Promise<DocumentRecord[]> {
  return trustedDocument.findMany({ orderBy: [{ createdAt: 'asc' }, { hash: 'asc' }] });
}

/** Removes a document. @returns whether there was one */
export async function removeDocument(
  { trustedDocument }: Documents,
  hash: string,
): Promise<boolean> {
  const { count } = await trustedDocument.deleteMany({ where: { hash } });
  return count > 0;
}
