import { InMemoryCache } from '@apollo/client';
import { useMutation, useQuery } from '@apollo/client/react';
import { relayStylePagination } from '@apollo/client/utilities';
import { CreatePet, PetsPage, withPet } from './pets.ts';

export const cache = new InMemoryCache({
  typePolicies: { Query: { fields: { petsConnection: relayStylePagination(['status']) } } },
});

export function Pets() {
  const { data, error, fetchMore } = useQuery(PetsPage);
  const [createPet, { loading }] = useMutation(CreatePet, {
    update: (store, { data: added }) => {
      store.updateQuery(
        { query: PetsPage },
        (list) => list && added?.createPet && withPet(list, added.createPet),
      );
    },
  });
  if (data === undefined) return <p role="status">{error?.message ?? 'Loading…'}</p>;
  const { edges, pageInfo } = data.petsConnection;
  const previous = () => fetchMore({ variables: { before: pageInfo.startCursor } });
  const add = (name: string) => {
    const variables = { input: { name, categoryId: '7' }, key: crypto.randomUUID() };
    return createPet({ variables });
  };

  return (
    <>
      {pageInfo.hasPreviousPage && <button onClick={previous}>Previous</button>}
      <ol>
        {edges.map(({ node }) => (
          <li key={node.id}>{node.name}</li>
        ))}
      </ol>
      <button disabled={loading} onClick={() => add('Rex')}>
        Add
      </button>
    </>
  );
}
