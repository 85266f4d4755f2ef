import { report } from './report.ts';
import { ApolloClient, gql, HttpLink, InMemoryCache } from '@apollo/client';

await report(({ url, headers, tolerant }) => {
  const client = new ApolloClient({
    link: new HttpLink({ uri: url, headers }),
    cache: new InMemoryCache(),
  });
  const more = tolerant ? ({ errorPolicy: 'all' } as const) : {};
  return (document, variables) =>
    document.startsWith('mutation')
      ? client.mutate({ mutation: gql(document), variables, ...more })
      : client.query({ query: gql(document), variables, ...more });
});
