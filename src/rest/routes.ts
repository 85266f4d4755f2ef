import { prepareOperation, type Operation } from '@gateway/pothos-rest/operation';
import { asSent, integerInText, integerOfJson, type Read } from '@gateway/pothos-rest/variables';

export interface Route {
  readonly method: 'get' | 'post';
  /** Relative to the base address, with Express's `:parameters`. */
  readonly path: string;
  /** What it does, in a few words and in whole sentences, for those who read the contract. */
  readonly summary: string;
  readonly description: string;
  readonly operation: Operation;
  /** How the operation's variables are read from the parameters of the same names. */
  readonly pathParameters?: Readonly<Record<string, Read>>;
  readonly queryParameters?: Readonly<Record<string, Read>>;
  /** The variable that the body makes up, and how its members are read. */
  readonly body?: { readonly variable: string; readonly members: Readonly<Record<string, Read>> };
  readonly status: 200 | 201;
}

/** Where the routes are, and what both of the contract's base addresses end with. */
export const BASE_PATH = '/v1';

/** Everything under it. */
export const routes: readonly Route[] = [
  {
    method: 'get',
    path: '/pets',
    summary: 'List all animals',
    description:
      'Returns a paginated list of animals, in the order of their ids. `Link` leads to the next page.',
    operation: prepareOperation(/* GraphQL */ `
      query listPets($status: PetStatus, $limit: Int, $after: ID) {
        petsConnection(status: $status, limit: $limit, after: $after) {
          nodes {
            id
            name
            categoryId
            status
          }
          pageInfo {
            hasNextPage
            endCursor
          }
        }
      }
    `),
    queryParameters: { limit: integerInText, status: asSent, after: asSent },
    status: 200,
  },
  {
    method: 'post',
    path: '/pets',
    summary: 'Add an animal',
    description: 'Adds an animal. Members of the body that are not described here are ignored.',
    operation: prepareOperation(/* GraphQL */ `
      mutation createPet($input: NewPet!) {
        createPet(input: $input) {
          id
          name
          categoryId
          status
        }
      }
    `),
    body: {
      variable: 'input',
      members: { name: asSent, categoryId: integerOfJson, status: asSent },
    },
    status: 201,
  },
  {
    method: 'get',
    path: '/pets/:petId',
    summary: 'Get an animal',
    description: 'Fetches one animal by its identifier.',
    operation: prepareOperation(/* GraphQL */ `
      query getPet($petId: ID!) {
        pet(id: $petId) {
          id
          name
          categoryId
          status
        }
      }
    `),
    pathParameters: { petId: asSent },
    status: 200,
  },
];

/** Addresses whose answers to GET are the same for all who may read them, and have no other effect. */
export const sharedAddresses: ReadonlySet<string> = new Set(
  routes
    .filter(
      ({ method, operation }) => method === 'get' && operation.field.extensions.sameForEveryone,
    )
    .map(({ path }) => BASE_PATH + path),
);
