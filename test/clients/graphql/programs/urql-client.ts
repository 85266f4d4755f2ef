import { Client, type DocumentInput, type Exchange } from '@urql/core';
import type { Execute, Settings } from './report.ts';

/**
 * urql's client, which doesn't throw.
 *
 * @param read what makes a document of its text, if the client isn't given the text itself
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
