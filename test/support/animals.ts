/** Whole animals as each surface writes them: a new field of animals is added here rather than in the tests. */

/** The facts that matter to a test; the others have defaults, as of a created `{ "name": "Rex", "categoryId": 1 }`. */
export interface Animal {
  /** A 64-bit integer, as are those of categories. */
  readonly id: bigint | number | string | undefined;
  readonly name?: string;
  readonly categoryId?: bigint | number | string;
  readonly status?: string;
}

/** The JSON text of REST, exact to the last digit. */
export function restAnimal({
  id,
  name = 'Rex',
  categoryId = 1,
  status = 'available',
}: Animal): string {
  return `{"id":${id},"name":${JSON.stringify(name)},"categoryId":${categoryId},"status":"${status}"}`;
}

/** The GraphQL selection of all fields. */
export const WHOLE_ANIMAL = '{ id name categoryId status }';

/** What GraphQL answers to that selection. */
export function graphqlAnimal({
  id,
  name = 'Rex',
  categoryId = 1,
  status = 'available',
}: Animal): object {
  return { id: String(id), name, categoryId: String(categoryId), status };
}
