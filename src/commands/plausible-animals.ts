import { faker } from '@faker-js/faker/locale/en';

/** Names, categories and statuses of animals, each at its index: as SQL's unnest takes them. */
export interface Animals {
  readonly names: readonly string[];
  readonly categoryIds: readonly bigint[];
  readonly statuses: readonly string[];
}

/** A handful of ids, some of them more in demand; categories have no records. */
const CATEGORIES = [
  { value: 1n, weight: 35 },
  { value: 2n, weight: 30 },
  { value: 3n, weight: 15 },
  { value: 4n, weight: 12 },
  { value: 5n, weight: 8 },
];

const STATUSES = [
  { value: 'available', weight: 70 },
  { value: 'pending', weight: 10 },
  { value: 'sold', weight: 20 },
];

/**
 * Makes animals up: what is returned takes a number, and makes the next so many. They are the same every time, so that
 * what was seen can be seen again; one run at a time, for they share a generator of random numbers.
 */
export function plausibleAnimals(): (count: number) => Animals {
  const { animal, datatype, helpers, person } = faker;
  faker.seed(20_301_205);
  return (count) => {
    const each = <T>(make: () => T) => Array.from({ length: count }, make);
    return {
      // There are few names that only pets have.
      names: each(() => (datatype.boolean() ? animal.petName() : person.firstName())),
      categoryIds: each(() => helpers.weightedArrayElement(CATEGORIES)),
      statuses: each(() => helpers.weightedArrayElement(STATUSES)),
    };
  };
}
