import { useState } from 'react';
import type { ResultOf } from 'gql.tada';
import { cacheExchange } from '@urql/exchange-graphcache';
import { relayPagination } from '@urql/exchange-graphcache/extras';
import { useMutation, useQuery } from 'urql';
import { CreatePet, PetsPage, withPet } from './pets.ts';

export const cache = cacheExchange({
  resolvers: { Query: { petsConnection: relayPagination() } },
  updates: {
    Mutation: {
      createPet: ({ createPet }: ResultOf<typeof CreatePet>, _variables, store) => {
        store.updateQuery(
          { query: PetsPage, variables: {} },
          (list) => list && createPet && withPet(list, createPet),
        );
      },
    },
  },
});

export function Pets() {
  const [before, setBefore] = useState<string | null>();
  const [{ data, error }] = useQuery({ query: PetsPage, variables: { before } });
  const [{ fetching }, createPet] = useMutation(CreatePet);
  if (data === undefined) return <p role="status">{error?.message ?? 'Loading…'}</p>;
  const { edges, pageInfo } = data.petsConnection;
  const previous = () => setBefore(pageInfo.startCursor);
  const add = (name: string) =>
    createPet({ input: { name, categoryId: '7' }, key: crypto.randomUUID() });

  return (
    <>
      {pageInfo.hasPreviousPage && <button onClick={previous}>Previous</button>}
      <ol>
        {edges.map(({ node }) => (
          <li key={node.id}>{node.name}</li>
        ))}
      </ol>
      <button disabled={fetching} onClick={() => add('Rex')}>
        Add
      </button>
    </>
  );
}
