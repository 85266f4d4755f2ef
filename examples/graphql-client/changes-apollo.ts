// An animal that leaves a filtered list, and one that is removed, with Apollo Client. See docs/graphql-client.md.
import { ApolloClient, HttpLink, InMemoryCache } from '@apollo/client';
import { Available, Remove, Sell } from './changes.ts';

const store = new ApolloClient({
  link: new HttpLink({
    uri: `${process.env['ANIMAL_STORE_URL'] ?? 'http://127.0.0.1:4000'}/graphql`,
    headers: { Authorization: `Bearer ${process.env['API_KEY'] ?? ''}` },
  }),
  cache: new InMemoryCache(),
});

async function list() {
  const { data } = await store.query({ query: Available });
  console.log(data?.pets.map(({ name }) => name).join(', '));
  return data?.pets[0]?.id ?? '';
}

const sold = await list();
await store.mutate({
  mutation: Sell,
  variables: { id: sold },
  // Apollo can't know which lists have it by now: they are asked for again.
  update: (cache) => cache.evict({ fieldName: 'pets' }),
});
const removed = await list();
await store.mutate({
  mutation: Remove,
  variables: { id: removed },
  // Lists leave out what the cache no longer has.
  update: (cache) => cache.evict({ id: `Pet:${removed}` }),
});
await list();
store.stop();
