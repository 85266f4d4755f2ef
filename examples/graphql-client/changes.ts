// A list, and the changes after which an animal is no longer in it: for changes-apollo.ts and changes-urql.ts.
import { graphql } from 'gql.tada';

export const Available = graphql(`
  query Available {
    pets(status: available) {
      id
      name
    }
  }
`);

export const Sell = graphql(`
  mutation Sell($id: ID!) {
    updatePet(id: $id, input: { status: sold }) {
      id
      status
    }
  }
`);

export const Remove = graphql(`
  mutation Remove($id: ID!) {
    deletePet(id: $id) {
      id
    }
  }
`);
