// An animal that leaves a filtered list, and one that is removed, with urql's Graphcache. See docs/graphql-client.md.
import { Client, fetchExchange } from '@urql/core';
import { cacheExchange, type UpdatesConfig } from '@urql/exchange-graphcache';
import { Available, Remove, Sell } from './changes.ts';

const updates: UpdatesConfig = {
  Mutation: {
    // Graphcache can't know which lists have it by now: they are asked for again.
    updatePet: (_result, _variables, cache) => {
      for (const { fieldName, fieldKey } of cache.inspectFields('Query')) {
        if (fieldName === 'pets') cache.invalidate('Query', fieldKey);
      }
    },
    // So are lists that have what the cache no longer has.
    deletePet: (_result, { id }: { id: string }, cache) => {
      cache.invalidate({ __typename: 'Pet', id });
    },
  },
};
const store = new Client({
  url: `${process.env['ANIMAL_STORE_URL'] ?? 'http://127.0.0.1:4000'}/graphql`,
  exchanges: [cacheExchange({ updates }), fetchExchange],
  preferGetMethod: false,
  fetchOptions: { headers: { Authorization: `Bearer ${process.env['API_KEY'] ?? ''}` } },
});

async function list() {
  const { data } = await store.query(Available, {});
  console.log(data?.pets.map(({ name }) => name).join(', '));
  return data?.pets[0]?.id ?? '';
}

await store.mutation(Sell, { id: await list() });
await store.mutation(Remove, { id: await list() });
await list();
