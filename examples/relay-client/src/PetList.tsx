import { graphql, usePaginationFragment } from 'react-relay';
import type { PetListPageQuery } from './__generated__/PetListPageQuery.graphql';
import type { PetList_pets$key } from './__generated__/PetList_pets.graphql';

export const PAGE = 2;

const pets = graphql`
  fragment PetList_pets on Query
  @argumentDefinitions(
    first: { type: "Int" }
    after: { type: "ID" }
    last: { type: "Int" }
    before: { type: "ID" }
  )
  @refetchable(queryName: "PetListPageQuery") {
    petsConnection(status: available, first: $first, after: $after, last: $last, before: $before)
      @connection(key: "PetList_petsConnection") {
      edges {
        node {
          id
          name
        }
      }
    }
  }
`;

/** A list that grows at both ends. */
export function PetList({ query }: { readonly query: PetList_pets$key }) {
  const { data, hasNext, hasPrevious, isLoadingNext, isLoadingPrevious, loadNext, loadPrevious } =
    usePaginationFragment<PetListPageQuery, PetList_pets$key>(pets, query);
  return (
    <>
      {hasPrevious && (
        <button disabled={isLoadingPrevious} onClick={() => loadPrevious(PAGE)}>
          Previous
        </button>
      )}
      <ol>
        {data.petsConnection.edges.map(({ node }) => (
          <li key={node.id}>{`${node.id} ${node.name}`}</li>
        ))}
      </ol>
      {hasNext && (
        <button disabled={isLoadingNext} onClick={() => loadNext(PAGE)}>
          Next
        </button>
      )}
    </>
  );
}
