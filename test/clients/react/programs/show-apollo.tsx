import { headers, show, url } from './show.tsx';
import { ApolloClient, HttpLink } from '@apollo/client';
import { ApolloProvider } from '@apollo/client/react';
import { cache, Pets } from './apollo.tsx';

const client = new ApolloClient({ link: new HttpLink({ uri: url, headers }), cache });
await show(
  <ApolloProvider client={client}>
    <Pets />
  </ApolloProvider>,
);
