import { array, constantFrom, integer, oneof, option, record, type Arbitrary } from 'fast-check';
import { WHOLE_ANIMAL } from './animals.ts';
import type { AnimalRead, ListRead, Read, Request, Status } from './store-reads.ts';

export const GATEWAYS = 3;

export interface Create {
  /** Which of the gateways whose database answers, or of all. */
  readonly gateway: number;
  readonly by: 'POST /v1/pets' | 'createPet';
  readonly status: Status;
}

/** One step of a schedule. What is held in one goes at the beginning of the next. */
export interface Round {
  /** The gateways that don't hear yet what the database answers. */
  readonly held: readonly number[];
  /** What is created by way of gateways that hear of it, so that it is acknowledged. */
  readonly acknowledged: readonly Create[];
  /** What is created by way of any. */
  readonly others: readonly Create[];
}

export interface Schedule {
  /** What is read of every gateway in each round, before something is created and after. */
  readonly reads: readonly Read[];
  /** How often, at the same time. */
  readonly copies: number;
  readonly rounds: readonly Round[];
}

const gateway = integer({ min: 0, max: GATEWAYS - 1 });
const status = constantFrom<Status[]>('available', 'pending', 'sold');
const list: Arbitrary<ListRead> = record({
  by: constantFrom<ListRead['by'][]>('GET /v1/pets', 'pets', 'petsConnection'),
  status: option(status, { nil: undefined }),
  limit: constantFrom(1, 2, 20, 100),
  after: option(integer({ min: 0, max: 5 }), { nil: undefined }),
});
const one: Arbitrary<AnimalRead> = record({
  by: constantFrom<AnimalRead['by'][]>('GET /v1/pets/:id', 'pet'),
  id: integer({ min: 1, max: 8 }),
});
const create: Arbitrary<Create> = record({
  gateway,
  by: constantFrom<Create['by'][]>('POST /v1/pets', 'createPet'),
  status,
});

const round: Arbitrary<Round> = record({
  held: constantFrom<number[][]>([0], [1], [2], [0, 1], [0, 2], [1, 2]),
  acknowledged: array(create, { minLength: 1, maxLength: 3 }),
  others: array(create, { maxLength: 2 }),
});

/** A few rounds, on a store without animals. */
export const schedules: Arbitrary<Schedule> = record({
  reads: array(oneof(list, one), { minLength: 2, maxLength: 4 }),
  copies: integer({ min: 2, max: 4 }),
  rounds: array(round, { minLength: 2, maxLength: 4 }),
});

const CREATE = `mutation ($input: NewPet!) { createPet(input: $input) ${WHOLE_ANIMAL} }`;

export function requestForCreate({ by, status: ofAnimal }: Create, name: string): Request {
  const animal = { name: `${ofAnimal} ${name}`, categoryId: 1, status: ofAnimal };
  return by === 'createPet'
    ? { call: 'POST /graphql', body: { query: CREATE, variables: { input: animal } } }
    : { call: by, body: animal };
}
