import type { StoreApi } from '../../packages/gateway/src/definition.ts';
import { PAGE_INFO, type Route } from '@store-gateway/rest';
import type { PrismaClient } from '../../prisma/generated/client.ts';
import { schema, until } from './deprecating-schema.ts';

const routes: readonly Route[] = [
  {
    method: 'get',
    path: '/pets',
    summary: 'List animals',
    document: `query listPets($status: PetStatus, $limit: Int, $after: ID) {
      petsConnection(status: $status, limit: $limit, after: $after) {
        nodes { id name status } ${PAGE_INFO}
      }
    }`,
    status: 200,
  },
  {
    method: 'post',
    path: '/pets',
    summary: 'Add an animal',
    document: 'mutation createPet($input: NewPet!) { createPet(input: $input) { id name status } }',
    status: 201,
  },
  {
    method: 'get',
    path: '/pets/:petId',
    summary: 'Get an animal',
    document: 'query getPet($petId: ID!) { pet(id: $petId) { id name status } }',
    status: 200,
    deprecation: until(2040, 'the list'),
  },
  {
    method: 'get',
    path: '/card',
    summary: 'Get the card',
    document:
      'query getCard($colour: Colour) { card(colour: $colour) { title size label { text } } }',
    status: 200,
  },
];

const info = {
  title: 'Animals that age',
  version: '1.0.0',
  description: 'Something of each kind is deprecated.',
  contact: { name: 'Nobody' },
  license: { name: 'MIT', identifier: 'MIT' },
};

/** A store that deprecates something of each kind. */
export const deprecatingStore: Pick<StoreApi<PrismaClient>, 'schema' | 'rest'> = {
  schema,
  rest: { routes, basePath: '/v1', info },
};
