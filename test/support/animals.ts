import {
  buildSchema,
  getNamedType,
  isInputObjectType,
  isLeafType,
  isObjectType,
  type GraphQLType,
} from 'graphql';
import { readFile } from 'node:fs/promises';
import { at, object } from './openapi.ts';

// Whole animals as each surface writes them. Which members those have is read from the printed contracts, so that no
// test repeats them; one that no test knows of is as if nothing was sent for it.

/** The facts that matter to a test; the others have defaults, as of a created `{ "name": "Rex", "categoryId": 1 }`. */
interface Animal {
  /** A 64-bit integer, as are those of categories. */
  readonly id: bigint | number | string | undefined;
  readonly name?: string;
  readonly categoryId?: bigint | number | string;
  readonly status?: string;
}

/** What the file schema.graphql holds. */
const schema = buildSchema(
  await readFile(new URL('../../schema.graphql', import.meta.url), 'utf8'),
);

const REST_MEMBERS = Object.keys(object(at('components', 'schemas', 'Pet', 'properties')));
// What GraphQL has beside, such as the version, isn't sent.
const FIELDS = fieldsOf('Pet').filter((field) => REST_MEMBERS.includes(field));

/** The JSON text of REST, exact to the last digit. */
export function restAnimal({
  id,
  name = 'Rex',
  categoryId = 1,
  status = 'available',
}: Animal): string {
  const facts = new Map<string, unknown>([
    ...REST_MEMBERS.map((member) => [member, JSON.stringify(unsent(member))] as const),
    ['id', id],
    ['name', JSON.stringify(name)],
    ['categoryId', categoryId],
    ['status', JSON.stringify(status)],
  ]);
  return `{${Array.from(facts, ([member, text]) => `"${member}":${String(text)}`).join(',')}}`;
}

/** The GraphQL selection of all fields that are not objects. */
export const WHOLE_ANIMAL = `{ ${FIELDS.join(' ')} }`;

/** What GraphQL answers to that selection. */
export function graphqlAnimal({
  id,
  name = 'Rex',
  categoryId = 1,
  status = 'available',
}: Animal): object {
  return {
    ...Object.fromEntries(FIELDS.map((field) => [field, unsent(field)])),
    id: String(id),
    name,
    categoryId: String(categoryId),
    status,
  };
}

/** The value of a member that a created animal was sent without. */
function unsent(member: string): unknown {
  return at('components', 'schemas', 'NewPet', 'properties', member, 'default') ?? null;
}

/** What the refusal of something else in the place of an animal to add calls for. */
export const NO_ANIMAL = `input must be an object with ${fieldsOf('NewPet').join(', ')}`;

/** The fields of a type that are not objects. */
function fieldsOf(typeName: 'Pet' | 'NewPet'): string[] {
  const type = schema.getType(typeName);
  const fields: Readonly<Record<string, { readonly type: GraphQLType }>> =
    isObjectType(type) || isInputObjectType(type) ? type.getFields() : {};
  return Object.entries(fields)
    .filter(([, field]) => isLeafType(getNamedType(field.type)))
    .map(([name]) => name);
}
