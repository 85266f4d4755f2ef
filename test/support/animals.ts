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

// Complete animals as each API writes them. Their members are read from the printed contracts, so that no test repeats
// them. A member that no test sets is written as if it had been omitted from the request.

/** The members that matter to a test; the others have the defaults of a created `{ "name": "Rex", "categoryId": 1 }`. */
interface Animal {
  /** A 64-bit integer, like category ids. */
  readonly id: bigint | number | string | undefined;
  readonly name?: string;
  readonly categoryId?: bigint | number | string;
  readonly status?: string;
}

/** The schema in the file schema.graphql. */
const schema = buildSchema(
  await readFile(new URL('../../schema.graphql', import.meta.url), 'utf8'),
);

const REST_MEMBERS = Object.keys(object(at('components', 'schemas', 'Pet', 'properties')));
// Fields that only GraphQL has, such as the version, are not selected.
const FIELDS = fieldsOf('Pet').filter((field) => REST_MEMBERS.includes(field));

/** Returns REST's JSON text, exact to the last digit. */
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

/** Returns GraphQL's response to that selection. */
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

/** Returns the value of a member that was omitted when the animal was created. */
function unsent(member: string): unknown {
  return at('components', 'schemas', 'NewPet', 'properties', member, 'default') ?? null;
}

/** The error for an input that is not an object. */
export const NO_ANIMAL = `input must be an object with ${fieldsOf('NewPet').join(', ')}`;

/** Returns a type's fields that are not objects. */
function fieldsOf(typeName: 'Pet' | 'NewPet'): string[] {
  const type = schema.getType(typeName);
  const fields: Readonly<Record<string, { readonly type: GraphQLType }>> =
    isObjectType(type) || isInputObjectType(type) ? type.getFields() : {};
  return Object.entries(fields)
    .filter(([, field]) => isLeafType(getNamedType(field.type)))
    .map(([name]) => name);
}
