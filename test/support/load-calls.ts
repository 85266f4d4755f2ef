import { WHOLE_ANIMAL } from './animals.ts';

const CREATE = `mutation ($input: NewPet!, $key: String) { createPet(input: $input, idempotencyKey: $key) ${WHOLE_ANIMAL} }`;
const STATUSES = ['available', 'pending', 'sold'] as const;

/** How lists and additions are asked for: the method and the path. */
export const REST_LIST = 'GET /v1/pets';
export const GRAPHQL_LIST = 'GET /graphql?query={pets(after:0){id,name,categoryId,status}}';
export const REST_CREATE = 'POST /v1/pets';
export const GRAPHQL_CREATE = 'POST /graphql';

/** An animal that a load adds. */
export interface NewAnimal {
  /** Nobody else's: it tells whose it is. */
  readonly name: string;
  readonly categoryId: number;
  readonly status: (typeof STATUSES)[number];
}

export interface Call {
  readonly call: string;
  /** Whether it is a list of what follows, the caller's last animal first: else all have the same list. */
  readonly isOfNewest?: true;
  /** Of one that adds an animal. */
  readonly body?: (animal: NewAnimal) => object;
  /** Whether it is sent with an Idempotency-Key, and then again until it is done. */
  readonly repeated?: true;
  readonly header?: true;
}

const rest = (animal: NewAnimal) => animal;
const graphql = (input: NewAnimal) => ({ query: CREATE, variables: { input } });
const withArgument = (input: NewAnimal) => ({
  query: CREATE,
  variables: { input, key: input.name },
});

/** What a caller asks for by turns. */
export const CALLS: readonly Call[] = [
  { call: REST_CREATE, body: rest },
  { call: REST_LIST },
  { call: REST_CREATE, body: rest, repeated: true, header: true },
  { call: GRAPHQL_CREATE, body: graphql },
  { call: GRAPHQL_LIST, isOfNewest: true },
  { call: GRAPHQL_CREATE, body: graphql, repeated: true, header: true },
  { call: GRAPHQL_CREATE, body: withArgument, repeated: true },
];

/** The call of GRAPHQL_LIST, for the animals with greater ids. */
export function listAfter(id: number): string {
  return GRAPHQL_LIST.replace('after:0', `after:${id}`);
}

/** One of which each field differs from the one before. */
export function newAnimal(name: string, number: number): NewAnimal {
  return { name, categoryId: number, status: STATUSES[number % STATUSES.length] ?? 'available' };
}
