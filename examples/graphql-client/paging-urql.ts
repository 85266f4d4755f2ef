// Endless lists with urql: Graphcache joins the pages of one filter. See docs/graphql-client.md.
import { Client, fetchExchange } from '@urql/core';
import { cacheExchange } from '@urql/exchange-graphcache';
import { relayPagination } from '@urql/exchange-graphcache/extras';
import { graphql } from 'gql.tada';

const store = new Client({
  url: `${process.env['ANIMAL_STORE_URL'] ?? 'http://127.0.0.1:4000'}/graphql`,
  exchanges: [
    cacheExchange({ resolvers: { Query: { petsConnection: relayPagination() } } }),
    fetchExchange,
  ],
  preferGetMethod: false,
  fetchOptions: { headers: { Authorization: `Bearer ${process.env['API_KEY'] ?? ''}` } },
});

const PetsPage = graphql(`
  query PetsPage($status: PetStatus!, $after: ID) {
    petsConnection(status: $status, first: 2, after: $after) {
      edges {
        cursor
        node {
          id
          name
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);

for (const status of ['available', 'sold'] as const) {
  const first = await store.query(PetsPage, { status });
  if (!first.data) throw first.error;
  const { hasNextPage, endCursor } = first.data.petsConnection.pageInfo;
  if (hasNextPage) {
    await store.query(PetsPage, { status, after: endCursor });
  }

  // All that has been loaded for this filter, from the cache alone.
  const list = await store.query(PetsPage, { status }, { requestPolicy: 'cache-only' });
  const names = list.data?.petsConnection.edges.map(({ node }) => node.name) ?? [];
  console.log(`${status}: ${names.join(', ')}`);
  console.log(`more: ${list.data?.petsConnection.pageInfo.hasNextPage}`);
}
