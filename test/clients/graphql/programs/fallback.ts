// Sends an unstored document with the hash of a differently printed text, as docs/trusted-documents.md shows for each
// client, and prints the results that the clients return.
import { createHash } from 'node:crypto';
import { ApolloClient, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries';
import { cacheExchange, Client, fetchExchange } from '@urql/core';
import { persistedExchange } from '@urql/exchange-persisted';

const { ANIMAL_STORE_URL: url = '', API_KEY } = process.env;
const uri = `${url}/graphql`;
const headers = { Authorization: `Bearer ${API_KEY}` };

/** The text that graphql-codegen writes on one line and hashes. Clients print the document on several lines. */
const TEXT = 'query Listed { __typename pets(limit: 1) { __typename name } }';
const hash = createHash('sha256').update(TEXT).digest('hex');

function generated(): any {
  return Object.assign(gql(TEXT), { __meta__: { hash } });
}

async function byApollo() {
  const link = new PersistedQueryLink({
    generateHash: (document: any) => document.__meta__.hash,
  });
  const client = new ApolloClient({
    link: link.concat(new HttpLink({ uri, headers })),
    cache: new InMemoryCache(),
  });
  const { data } = await client.query({ query: generated() });
  return data;
}

async function byUrql() {
  const persisted = persistedExchange({
    enableForMutation: true,
    generateHash: async (_, document: any) => document.__meta__.hash,
  });
  const client = new Client({
    url: uri,
    exchanges: [cacheExchange, persisted, fetchExchange],
    fetchOptions: { headers },
    preferGetMethod: false,
  });
  const { data, error } = await client.query(generated(), {}).toPromise();
  return data ?? error?.message;
}

const seen = await Promise.all(
  [byApollo, byUrql].map((ask) => ask().catch((error: unknown) => String(error))),
);
console.log(JSON.stringify(seen));
