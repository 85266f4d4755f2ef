import type { Route } from '@store-gateway/rest';
import { schema } from './audited-animals-schema.ts';
import { startGateway, type Gateway, type GatewayOptions } from './gateway.ts';

const routes: readonly Route[] = [
  {
    method: 'get',
    path: '/pets/:petId',
    summary: 'Get an animal',
    document: 'query getPet($petId: ID!) { pet(id: $petId) { id name } }',
    status: 200,
  },
  {
    method: 'post',
    path: '/pets',
    summary: 'Add an animal',
    document: 'mutation addPet($input: NewPet!) { createPet(input: $input) { id name } }',
    status: 201,
  },
  {
    method: 'patch',
    path: '/pets/:petId',
    summary: 'Change an animal',
    document: `mutation changePet($petId: ID!, $expected: [String!], $input: UpdatePetInput!) {
      updatePet(id: $petId, expected: $expected, input: $input) { id name }
    }`,
    status: 200,
  },
];

const info = {
  title: 'Audited animals',
  version: '1.0.0',
  description: 'Who has changed them is noted.',
  contact: { name: 'Nobody' },
  license: { name: 'MIT', identifier: 'MIT' },
};

export const auditedApi = { schema, rest: { routes, basePath: '/v1', info } };

/** Serves them on a database of their own. */
export function startAuditedAnimals(options: Omit<GatewayOptions, 'api'> = {}): Promise<Gateway> {
  return startGateway({ ...options, api: auditedApi });
}
