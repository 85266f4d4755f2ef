import { buildSchema } from 'graphql';

/** A schema with lists, a recursive type and a mutation. */
export const schema = buildSchema(`
  type Query { things(limit: Int, last: Int): [Thing!] thing(id: ID): Thing }
  type Mutation { addThing: Thing }
  type Thing { id: ID name: String part: Thing }
`);

for (const argument of schema.getQueryType()?.getFields()['things']?.args ?? []) {
  argument.extensions = {
    defaultListSize: 20,
    rule: { expected: 'at most 5000', accepts: (size) => Number(size) <= 5000, jsonSchema: {} },
  };
}

export function times(count: number, part: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => part(index)).join(' ');
}
