import { report } from './report.ts';
import { createRequire } from 'node:module';
import { Client, fetchExchange } from '@urql/core';

// As the example has it: its types need a compiler of its own.
const example = new URL('../../../../examples/graphql-client/package.json', import.meta.url);
const { graphql } = createRequire(example)('gql.tada');

await report(({ url, headers }) => {
  const client = new Client({
    url,
    exchanges: [fetchExchange],
    preferGetMethod: false,
    fetchOptions: { headers },
  });
  return (document, variables) =>
    document.startsWith('mutation')
      ? client.mutation(graphql(document), variables).toPromise()
      : client.query(graphql(document), variables).toPromise();
});
