import { buildSchema } from 'graphql';

/** A schema with lists, types within themselves and a mutation. */
export const schema = buildSchema(`
  type Query { things(limit: Int = 20): [Thing!] thing(id: ID): Thing }
  type Mutation { addThing: Thing }
  type Thing { id: ID name: String part: Thing }
`);

export function times(count: number, part: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => part(index)).join(' ');
}
