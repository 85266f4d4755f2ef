import { PAGE_INFO, type Route } from '@gateway/graphql-rest/rest';

/** The representation of an animal. */
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
      'Returns a paginated list of animals, ordered by id. `Link` refers to the next page.',
    document: `query listPets($status: PetStatus, $limit: Int, $after: ID) {
      petsConnection(limit: $limit, status: $status, after: $after) { nodes { ...Pet } ${PAGE_INFO} }
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
];
