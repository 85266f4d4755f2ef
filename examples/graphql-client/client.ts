// A GraphQL client whose documents are checked against the schema: see docs/graphql-client.md.
import { Client, fetchExchange } from '@urql/core';
import { graphql } from 'gql.tada';

const store = new Client({
  url: `${process.env['ANIMAL_STORE_URL'] ?? 'http://127.0.0.1:4000'}/graphql`,
  exchanges: [fetchExchange],
  preferGetMethod: false,
  fetchOptions: { headers: { Authorization: `Bearer ${process.env['API_KEY'] ?? ''}` } },
});

const CreatePet = graphql(`
  mutation CreatePet($input: NewPet!) {
    createPet(input: $input) {
      name
      status
    }
  }
`);

const AvailablePets = graphql(`
  query AvailablePets($limit: Int!, $after: ID) {
    petsConnection(status: available, limit: $limit, after: $after) {
      nodes {
        id
        name
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);

type Named = { readonly id: string; readonly name: string };

const added = await store.mutation(CreatePet, { input: { name: 'Rex', categoryId: '7' } });
console.log(`added ${added.data?.createPet.name}, who is ${added.data?.createPet.status}`);

for await (const { id, name } of availablePets()) {
  console.log(`${id} ${name}`);
}

// Every error has a code of a closed list; the message says what is wrong.
const refused = await store.mutation(CreatePet, { input: { name: '', categoryId: '7' } });
const [fault] = refused.error?.graphQLErrors ?? [];
console.log(`refused: ${String(fault?.extensions['code'])}, ${fault?.message}`);

async function* availablePets(after: string | null = null): AsyncGenerator<Named> {
  const { data, error } = await store.query(AvailablePets, { limit: 2, after });
  if (!data) throw error;
  const { nodes, pageInfo } = data.petsConnection;
  yield* nodes;
  if (pageInfo.hasNextPage) {
    yield* availablePets(pageInfo.endCursor);
  }
}
