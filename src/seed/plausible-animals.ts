import { faker } from '@faker-js/faker/locale/en';

/** Some categories are more frequent. */
const CATEGORIES = [35, 30, 15, 12, 8].map((weight, index) => ({
  value: BigInt(index + 1),
  weight,
}));

const STATUSES = [
  { value: 'available', weight: 70 },
  { value: 'pending', weight: 10 },
  { value: 'sold', weight: 20 },
];

/**
 * Returns a generator of animals, which makes the same ones in every process. It takes a number, and returns that many names,
 * categories and statuses, as SQL's unnest takes them.
 */
export function plausibleAnimals() {
  const { animal, datatype, helpers, person } = faker;
  faker.seed(20_301_205);
  return (count: number) => {
    const each = <T>(make: () => T) => Array.from({ length: count }, make);
    return {
      // There are few names that only pets have.
      names: each(() => (datatype.boolean() ? animal.petName() : person.firstName())),
      categoryIds: each(() => helpers.weightedArrayElement(CATEGORIES)),
      statuses: each(() => helpers.weightedArrayElement(STATUSES)),
    };
  };
}
