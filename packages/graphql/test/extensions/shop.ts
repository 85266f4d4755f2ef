import {
  GraphQLInputObjectType,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLSchema,
  GraphQLString,
  type GraphQLFieldConfigMap,
} from 'graphql';
import { named } from '../../src/marks/deprecations.ts';
import { text } from '../../src/extensions/input-faults.ts';

export const old = named(
  { since: '2026-11-21', removal: '2027-06-01', replacement: { inWords: 'colors' } },
  'Paint.color',
);

const Paint = new GraphQLInputObjectType({
  name: 'Paint',
  fields: {
    colors: {
      type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(GraphQLString))),
      extensions: { rule: text(1, 9) },
    },
    color: { type: GraphQLString, extensions: { rule: text(1, 9), deprecation: old } },
  },
});

export const Item = new GraphQLObjectType({
  name: 'Item',
  extensions: { scopes: ['stock'] },
  fields: { width: { type: GraphQLInt } },
});

/** Made with graphql-js alone. */
export function shopSchema(fields: GraphQLFieldConfigMap<unknown, unknown> = {}): GraphQLSchema {
  return new GraphQLSchema({
    query: new GraphQLObjectType({
      name: 'Query',
      fields: {
        painted: {
          type: Item,
          args: {
            paints: { type: new GraphQLList(Paint), extensions: { maxItems: 3 } },
          },
        },
        ...fields,
      },
    }),
  });
}
