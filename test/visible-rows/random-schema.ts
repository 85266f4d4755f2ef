import type { GraphQLSchema } from 'graphql';
import { newBuilder, type SchemaParts } from './builder.ts';
import { addNotesAndTags } from './note-types.ts';
import { addTopicsAndFolders } from './shelf-types.ts';
import { addOwnFields } from './own-fields.ts';
import type { Design } from './design.ts';
import { databaseFor, type Leaking } from './leaks.ts';

/** The schema of a design. */
export function schemaOf(design: Design, leaking?: Leaking): GraphQLSchema {
  const builder = newBuilder();
  builder.queryType({});
  builder.mutationType({});
  const parts: SchemaParts = { builder, design, leaking, by: databaseFor(leaking) };
  const types = addTopicsAndFolders(parts);
  const { Note } = addNotesAndTags(parts, types);
  if (design.own) {
    addOwnFields(parts, { ...types, Note });
  }
  return builder.toSchema({ sortSchema: false });
}

const schemas = new WeakMap<Design, GraphQLSchema>();

/** The schema of a design that goes past no rule. */
export function schemaToAsk(design: Design): GraphQLSchema {
  const schema = schemas.get(design) ?? schemaOf(design);
  schemas.set(design, schema);
  return schema;
}
