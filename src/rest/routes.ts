import { prepareOperation, type Operation } from './operation.ts';
import { integerInText, integerOfJson } from './variables.ts';

/** What a route reads its variables from. */
export interface RouteInput {
  readonly path: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface Route {
  readonly method: 'get' | 'post';
  /** Relative to the base address, with Express's `:parameters`. */
  readonly path: string;
  readonly operation: Operation;
  /**
   * Tells the operation's variables. It judges nothing: what it can't read it hands on as it is, for the
   * schema to refuse.
   */
  readonly variables: (input: RouteInput) => Record<string, unknown>;
  readonly status: 200 | 201;
}

/** Everything under /v1. */
export const routes: readonly Route[] = [
  {
    method: 'get',
    path: '/pets',
    operation: prepareOperation(/* GraphQL */ `
      query listPets($status: PetStatus, $limit: Int) {
        pets(status: $status, limit: $limit) {
          id
          name
          categoryId
          status
        }
      }
    `),
    variables: ({ query: { status, limit } }) => ({ status, limit: integerInText(limit) }),
    status: 200,
  },
  {
    method: 'post',
    path: '/pets',
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
    variables: ({ body: { name, categoryId, status } }) => ({
      input: { name, categoryId: integerOfJson(categoryId), status },
    }),
    status: 201,
  },
  {
    method: 'get',
    path: '/pets/:petId',
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
    variables: ({ path: { petId } }) => ({ petId }),
    status: 200,
  },
];
