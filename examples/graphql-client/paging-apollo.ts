// Endless lists with Apollo Client: its cache joins the pages of one filter. See docs/graphql-client.md.
import { ApolloClient, HttpLink, InMemoryCache } from '@apollo/client';
import { relayStylePagination } from '@apollo/client/utilities';
import { graphql } from 'gql.tada';

const store = new ApolloClient({
  link: new HttpLink({
    uri: `${process.env['ANIMAL_STORE_URL'] ?? 'http://127.0.0.1:4000'}/graphql`,
    headers: { Authorization: `Bearer ${process.env['API_KEY'] ?? ''}` },
  }),
  cache: new InMemoryCache({
    typePolicies: {
      // `status` makes another list; `after` and `first` another part of the same one. For the plain
      // list `pets` it would be concatPagination(['status']).
      Query: { fields: { petsConnection: relayStylePagination(['status']) } },
    },
  }),
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
  const first = await store.query({ query: PetsPage, variables: { status } });
  const { hasNextPage, endCursor } = first.data?.petsConnection.pageInfo ?? {};
  // As fetchMore of a component does: the cache holds this list already, but not this part of it.
  const more = {
    query: PetsPage,
    variables: { status, after: endCursor ?? null },
    fetchPolicy: 'network-only',
  } as const;
  if (hasNextPage) {
    await store.query(more);
  }

  // All that has been loaded for this filter, from the cache alone.
  const cached = store.readQuery({ query: PetsPage, variables: { status } });
  const names = cached?.petsConnection.edges.map(({ node }) => node.name) ?? [];
  console.log(`${status}: ${names.join(', ')}`);
  console.log(`more: ${cached?.petsConnection.pageInfo.hasNextPage}`);
}
store.stop();
