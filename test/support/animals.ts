import { buildSchema, isLeafType, getNullableType, type GraphQLSchema } from 'graphql';
import { readFile } from 'node:fs/promises';
import { at, object } from './openapi.ts';

// Whole animals as each surface writes them. Which members those have is read from the printed contracts, so that no
// test repeats them; a member that no test knows of is null.

/** The facts that matter to a test; the others have defaults, as of a created `{ "name": "Rex", "categoryId": 1 }`. */
export interface Animal {
  /** A 64-bit integer, as are those of categories. */
  readonly id: bigint | number | string | undefined;
  readonly name?: string;
  readonly categoryId?: bigint | number | string;
  readonly status?: string;
}

/** What the file schema.graphql holds. */
const schema: GraphQLSchema = buildSchema(
  await readFile(new URL('../../schema.graphql', import.meta.url), 'utf8'),
);

/** The JSON text of REST, exact to the last digit. */
export function restAnimal({
  id,
  name = 'Rex',
  categoryId = 1,
  status = 'available',
}: Animal): string {
  const facts = new Map<string, unknown>([
    ...REST_MEMBERS.map((member) => [member, null] as const),
    ['id', id],
    ['name', JSON.stringify(name)],
    ['categoryId', categoryId],
    ['status', JSON.stringify(status)],
  ]);
  return `{${Array.from(facts, ([member, text]) => `"${member}":${String(text)}`).join(',')}}`;
}

const REST_MEMBERS = Object.keys(object(at('components', 'schemas', 'Pet', 'properties')));

const FIELDS = fieldsOf('Pet');

/** The GraphQL selection of all fields that are no objects. */
export const WHOLE_ANIMAL = `{ ${FIELDS.join(' ')} }`;

/** What GraphQL answers to that selection. */
export function graphqlAnimal({
  id,
  name = 'Rex',
  categoryId = 1,
  status = 'available',
}: Animal): object {
  return {
    ...Object.fromEntries(FIELDS.map((field) => [field, null])),
    id: String(id),
    name,
    categoryId: String(categoryId),
    status,
  };
}

/** What the refusal of something else in the place of an animal to add calls for. */
export const NO_ANIMAL = `input must be an object with ${fieldsOf('NewPet').join(', ')}`;

/** The fields of a type that are no objects themselves. */
function fieldsOf(typeName: 'Pet' | 'NewPet'): string[] {
  const type = schema.getType(typeName);
  const fields = type && 'getFields' in type ? Object.values(type.getFields()) : [];
  return fields
    .filter(({ type: ofField }) => isLeafType(getNullableType(ofField)))
    .map(({ name }) => name);
}
