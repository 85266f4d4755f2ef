import { report } from './report.ts';
import { Client, fetchExchange } from '@urql/core';

await report(({ url, headers }) => {
  const client = new Client({
    url,
    exchanges: [fetchExchange],
    preferGetMethod: false,
    fetchOptions: { headers },
  });
  return (document, variables) =>
    document.startsWith('mutation')
      ? client.mutation(document, variables).toPromise()
      : client.query(document, variables).toPromise();
});
