import { PAGE_INFO, type Route } from '@store-gateway/rest';
import { schema } from './changed-animals-schema.ts';
import { startGateway, type Gateway, type GatewayOptions } from './gateway.ts';

const PET = 'fragment Pet on Pet { id name categoryId status }';

const routes: readonly Route[] = [
  {
    method: 'get',
    path: '/pets',
    summary: 'List animals',
    document: `query listPets($limit: Int, $after: ID) {
      petsConnection(limit: $limit, after: $after) { nodes { ...Pet } ${PAGE_INFO} }
    } ${PET}`,
    status: 200,
  },
  {
    method: 'post',
    path: '/pets',
    summary: 'Add an animal',
    document: `mutation createPet($input: NewPet!) { createPet(input: $input) { ...Pet } } ${PET}`,
    status: 201,
  },
  {
    method: 'get',
    path: '/pets/:petId',
    summary: 'Get an animal',
    document: `query getPet($petId: ID!) { pet(id: $petId) { ...Pet } } ${PET}`,
    status: 200,
  },
  {
    method: 'patch',
    path: '/pets/:petId',
    summary: 'Change an animal',
    document: `mutation updatePet($petId: ID!, $expected: [String!], $input: PetChange!) {
      updatePet(id: $petId, expected: $expected, input: $input) { ...Pet }
    } ${PET}`,
    status: 200,
  },
  {
    method: 'put',
    path: '/pets/:petId',
    summary: 'Replace an animal',
    document: `mutation replacePet($petId: ID!, $expected: [String!]!, $input: NewPet!) {
      replacePet(id: $petId, expected: $expected, input: $input) { ...Pet }
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
  {
    method: 'post',
    path: '/pets/:petId/sale',
    summary: 'Sell an animal',
    document: `mutation sellPet($petId: ID!) { sellPet(id: $petId) { ...Pet } } ${PET}`,
    status: 202,
  },
];

const info = {
  title: 'Animals that change',
  version: '1.0.0',
  description: 'All methods.',
  contact: { name: 'Nobody' },
  license: { name: 'MIT', identifier: 'MIT' },
};

/** Serves them on a database of their own. */
export function startChangedAnimals(options: Omit<GatewayOptions, 'api'> = {}): Promise<Gateway> {
  return startGateway({ ...options, api: { schema, rest: { routes, basePath: '/v1', info } } });
}
