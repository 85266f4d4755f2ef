import { Client, type DocumentInput, type Exchange } from '@urql/core';
import type { Execute, Settings } from './report.ts';

/**
 * Connects urql's client, which returns errors and never throws them.
 *
 * @param read parses a document's text; by default, the client gets the text itself
 */
export function connectWith(
  exchanges: Exchange[],
  read: (document: string) => DocumentInput = (document) => document,
): (settings: Settings) => Execute {
  return ({ url, headers }) => {
    const client = new Client({
      url,
      exchanges,
      preferGetMethod: false,
      fetchOptions: { headers },
    });
    return (document, variables) =>
      document.startsWith('mutation')
        ? client.mutation(read(document), variables).toPromise()
        : client.query(read(document), variables).toPromise();
  };
}
