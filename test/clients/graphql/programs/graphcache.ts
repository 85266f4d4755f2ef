import { report } from './report.ts';
import { Client, fetchExchange } from '@urql/core';
import { cacheExchange } from '@urql/exchange-graphcache';
import { relayPagination } from '@urql/exchange-graphcache/extras';

await report(({ url, headers }) => {
  const client = new Client({
    url,
    exchanges: [
      cacheExchange({ resolvers: { Query: { petsConnection: relayPagination() } } }),
      fetchExchange,
    ],
    preferGetMethod: false,
    fetchOptions: { headers },
  });
  return (document, variables) =>
    document.startsWith('mutation')
      ? client.mutation(document, variables).toPromise()
      : client.query(document, variables).toPromise();
});
