import {
  array,
  boolean,
  constant,
  constantFrom,
  integer,
  oneof,
  option,
  record,
  type Arbitrary,
} from 'fast-check';
import type { AnimalRead, ListRead, Read, Status } from './store-reads.ts';
import type { Surface } from './store-requests.ts';

export const GATEWAYS = 3;

/** Something that is written. */
export interface Write {
  /** Which of the gateways whose database answers, or of all. */
  readonly gateway: number;
  readonly by: Surface;
  readonly does: 'create' | 'change' | 'remove';
  /** Which of the animals that clients know. */
  readonly animal: number;
  readonly status: Status;
  /** What a change leaves as it is. */
  readonly leaves: 'name' | 'categoryId' | undefined;
  /** Whether a change by REST is one of a version that has just been read. */
  readonly isConditional: boolean;
  /** How many clients want something like it at the same time, of the same version. */
  readonly rivals: number;
  /** Whether each sends it twice, with an idempotency key. */
  readonly isRepeated: boolean;
}

/** One step of a schedule. What is held in one goes at the beginning of the next. */
export interface Round {
  /** The gateways that don't hear yet what the database answers. */
  readonly held: readonly number[];
  /** What is written by way of gateways that hear of it, so that it is acknowledged. */
  readonly acknowledged: readonly Write[];
  /** What is written by way of any. */
  readonly others: readonly Write[];
}

export interface Schedule {
  /** What is read of every gateway in each round, before something is written and after. */
  readonly reads: readonly Read[];
  /** How often, at the same time. */
  readonly copies: number;
  readonly rounds: readonly Round[];
}

const gateway = integer({ min: 0, max: GATEWAYS - 1 });
const status = constantFrom<Status[]>('available', 'pending', 'sold');
const list: Arbitrary<ListRead> = record({
  by: constantFrom<ListRead['by'][]>('GET /v1/pets', 'pets', 'petsConnection'),
  status: option(status, { nil: undefined, freq: 2 }),
  limit: constantFrom(1, 2, 20, 100),
  after: option(integer({ min: 0, max: 5 }), { nil: undefined, freq: 2 }),
  ids: oneof(
    { weight: 3, arbitrary: constant(undefined) },
    { weight: 1, arbitrary: array(integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 3 }) },
  ),
});
const one: Arbitrary<AnimalRead> = record({
  by: constantFrom<AnimalRead['by'][]>('GET /v1/pets/:id', 'pet'),
  id: integer({ min: 1, max: 5 }),
});
const write: Arbitrary<Write> = record({
  gateway,
  by: constantFrom<Surface[]>('REST', 'GraphQL'),
  does: constantFrom<Write['does'][]>('create', 'create', 'change', 'change', 'change', 'remove'),
  animal: integer({ min: 0, max: 3 }),
  status,
  leaves: constantFrom<Write['leaves'][]>('name', 'categoryId', undefined),
  isConditional: boolean(),
  rivals: constantFrom(1, 1, 2),
  isRepeated: boolean(),
});

const round: Arbitrary<Round> = record({
  held: constantFrom<number[][]>([0], [1], [2], [0, 1], [0, 2], [1, 2]),
  acknowledged: array(write, { minLength: 1, maxLength: 3 }),
  others: array(write, { maxLength: 2 }),
});

/** A few rounds, on a store without animals. */
export const schedules: Arbitrary<Schedule> = record({
  reads: array(oneof(list, one), { minLength: 1, maxLength: 3 }),
  copies: integer({ min: 2, max: 4 }),
  rounds: array(round, { minLength: 2, maxLength: 4 }),
});
