import { graphql, type ResultOf } from 'gql.tada';

export const PetsPage = graphql(`
  query PetsPage($before: ID) {
    petsConnection(status: available, last: 2, before: $before) {
      edges {
        cursor
        node {
          id
          name
        }
      }
      pageInfo {
        hasPreviousPage
        startCursor
      }
    }
  }
`);

export const CreatePet = graphql(`
  mutation CreatePet($input: NewPet!, $key: String!) {
    createPet(input: $input, idempotencyKey: $key) {
      id
      name
    }
  }
`);

/** Returns the list with a new animal at its end, because ids ascend. */
export function withPet(
  { petsConnection }: ResultOf<typeof PetsPage>,
  node: NonNullable<ResultOf<typeof CreatePet>['createPet']>,
): ResultOf<typeof PetsPage> {
  const edge = { __typename: 'PetEdge', cursor: node.id, node };
  return { petsConnection: { ...petsConnection, edges: [...petsConnection.edges, edge] } };
}
