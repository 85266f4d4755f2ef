import SchemaBuilder from '@pothos/core';
import { GraphQLID } from 'graphql';
import { PetStatus as PetStatuses } from '../../generated/enums.ts';
import { listPets, listPetsByIds } from './queries.ts';

interface PetShape {
  readonly id: bigint;
  readonly name: string;
  readonly categoryId: bigint;
  readonly status: PetStatuses;
}

// graphql-js 16 rejects a bigint as an ID. Patching it costs less than a resolver for each id.
const { serialize } = GraphQLID;
GraphQLID.serialize = (value) => (typeof value === 'bigint' ? String(value) : serialize(value));

/** The common part of all peers' schemas: the animals, each field a plain property, and their list. */
export const builder = new SchemaBuilder<{
  DefaultFieldNullability: false;
  Scalars: { ID: { Input: string; Output: bigint } };
}>({
  defaultFieldNullability: false,
});

export const PetStatus = builder.enumType('PetStatus', { values: Object.values(PetStatuses) });

export const Pet = builder.objectRef<PetShape>('Pet').implement({
  fields: (t) => ({
    id: t.exposeID('id'),
    name: t.exposeString('name'),
    categoryId: t.exposeID('categoryId'),
    status: t.expose('status', { type: PetStatus }),
  }),
});

builder.queryType({
  fields: (t) => ({
    pets: t.field({
      type: [Pet],
      args: {
        status: t.arg({ type: PetStatus }),
        limit: t.arg.int({ required: true, defaultValue: 20 }),
        after: t.arg.id(),
        ids: t.arg.idList(),
      },
      resolve: async (_root, { status, limit, after, ids }) => {
        if (ids != null) {
          return listPetsByIds(ids.map(BigInt));
        }
        if (limit < 1 || limit > 100) {
          throw new RangeError('limit is 1 to 100');
        }
        return listPets(status ?? undefined, limit, after == null ? undefined : BigInt(after));
      },
    }),
  }),
});

builder.mutationType({});
