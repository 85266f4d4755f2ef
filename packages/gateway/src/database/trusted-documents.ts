import type { Pool } from 'pg';
import { runStatement } from '@gateway/postgres/statement';

const FIND_BY_HASH = {
  name: 'find-document-by-hash',
  text: 'SELECT document FROM trusted_documents WHERE hash = $1',
};

/** What requests need, without loading Prisma's engine. */
export function createDocumentQueries(pool: Pool) {
  return {
    /** The text of a document, by its SHA-256 in hexadecimal digits. */
    findByHash: async (hash: string): Promise<string | undefined> => {
      const [row] = await runStatement(pool, FIND_BY_HASH, [hash]);
      return row?.[0] ?? undefined;
    },
  };
}
