import { PetStatus as PetStatuses } from '../../generated/enums.ts';
import { builder, Pet, PetStatus } from './builder.ts';
import { createPet, getPet } from './queries.ts';

const NewPet = builder.inputType('NewPet', {
  fields: (t) => ({
    name: t.string({ required: true }),
    categoryId: t.id({ required: true }),
    status: t.field({ type: PetStatus, required: true, defaultValue: PetStatuses.available }),
  }),
});

builder.queryField('pet', (t) =>
  t.field({
    type: Pet,
    nullable: true,
    args: { id: t.arg.id({ required: true }) },
    resolve: async (_root, { id }) => getPet(BigInt(id)),
  }),
);

builder.mutationField('createPet', (t) =>
  t.field({
    type: Pet,
    args: { input: t.arg({ type: NewPet, required: true }) },
    resolve: async (_root, { input: { name, categoryId, status } }) =>
      createPet({ name, categoryId: BigInt(categoryId), status }),
  }),
);

/** The gateway's own schema, as far as the benchmark goes, for the GraphQL servers. */
export const schema = builder.toSchema();
