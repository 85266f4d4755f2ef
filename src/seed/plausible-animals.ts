import { faker } from '@faker-js/faker/locale/en';

/** Some categories occur several times, because they are more frequent. */
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
 * Returns a generator of animals, which generates the same ones in every process. Given a number, it returns that many names,
 * categories and statuses, in the format of SQL's unnest.
 */
export function plausibleAnimals() {
  const { animal, datatype, helpers, person } = faker;
  faker.seed(20_301_205);
  return (count: number) => {
    const each = <T>(make: () => T) => Array.from({ length: count }, make);
    return {
      // Few names are used for pets alone.
      names: each(() => (datatype.boolean() ? animal.petName() : person.firstName())),
      categoryIds: each(() => helpers.weightedArrayElement(CATEGORIES)),
      statuses: each(() => helpers.weightedArrayElement(STATUSES)),
    };
  };
}
