import type { Pool } from 'pg';
import { runStatement } from '@gateway/postgres/statement';

const FIND_BY_HASH = {
  name: 'find-document-by-hash',
  text: 'SELECT document FROM trusted_documents WHERE hash = $1',
};

/** What requests need of stored documents, without the engine that Prisma would have to load for it. */
export function createDocumentQueries(pool: Pool) {
  return {
    /** The text of a document, by its SHA-256 in hexadecimal digits. */
    findByHash: async (hash: string): Promise<string | undefined> => {
      const [row] = await runStatement(pool, FIND_BY_HASH, [hash]);
      return row?.[0] ?? undefined;
    },
  };
}
