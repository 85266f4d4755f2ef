import { PAGE_INFO, type Route } from '@store-gateway/rest';

/** An animal's members in responses. */
const PET = `fragment Pet on Pet {
  id
  name
  categoryId
  status
}`;

/** The routes, relative to `/v1`. */
export const routes: readonly Route[] = [
  {
    method: 'get',
    path: '/pets',
    summary: 'List all animals',
    description:
      'Returns a paginated list of animals, ordered by id. `Link` has the URL of the next page.',
    document: `query listPets($id: [ID!], $status: PetStatus, $limit: Int, $after: ID) {
      petsConnection(ids: $id, limit: $limit, status: $status, after: $after) { nodes { ...Pet } ${PAGE_INFO} }
    } ${PET}`,
    status: 200,
  },
  {
    method: 'post',
    path: '/pets',
    summary: 'Add an animal',
    description: 'Adds an animal. Members of the body that are not described here are ignored.',
    document: `mutation createPet($input: NewPet!) {
      createPet(input: $input) { ...Pet }
    } ${PET}`,
    status: 201,
  },
  {
    method: 'get',
    path: '/pets/:petId',
    summary: 'Get an animal',
    description: 'Fetches one animal by its identifier.',
    document: `query getPet($petId: ID!) {
      pet(id: $petId) { ...Pet }
    } ${PET}`,
    status: 200,
  },
  {
    method: 'patch',
    path: '/pets/:petId',
    summary: 'Change an animal',
    description: 'Omitted members keep their values (JSON merge patch, RFC 7396).',
    document: `mutation updatePet($petId: ID!, $input: UpdatePetInput!, $expected: [String!]) {
      updatePet(id: $petId, input: $input, expected: $expected) { ...Pet }
    } ${PET}`,
    status: 200,
  },
  {
    method: 'delete',
    path: '/pets/:petId',
    summary: 'Remove an animal',
    document: `mutation deletePet($petId: ID!, $expected: [String!]) {
      deletePet(id: $petId, expected: $expected) { id }
    }`,
    status: 204,
  },
];
