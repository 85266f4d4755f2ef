// A GraphQL client whose documents are checked against the schema: see docs/graphql-client.md.
import { Client, fetchExchange } from '@urql/core';
import { graphql, type VariablesOf } from 'gql.tada';

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

const added = await store.mutation(CreatePet, { input: { name: 'Rex', categoryId: '7' } });
if (!added.data?.createPet) throw added.error;
const { createPet: pet } = added.data;
console.log(`added ${pet.name}, who is ${pet.status}`);

let page: VariablesOf<typeof AvailablePets> = { limit: 2 };
for (let more = true; more;) {
  const { data, error } = await store.query(AvailablePets, page);
  if (!data) throw error;
  const { nodes, pageInfo } = data.petsConnection;
  for (const { id, name } of nodes) {
    console.log(`${id} ${name}`);
  }
  more = pageInfo.hasNextPage;
  page = { limit: 2, after: pageInfo.endCursor };
}

// Every error has a code; the message says what is wrong.
const refused = await store.mutation(CreatePet, { input: { name: '', categoryId: '7' } });
const [fault] = refused.error?.graphQLErrors ?? [];
console.log(`refused: ${String(fault?.extensions['code'])}, ${fault?.message}`);
