import { PetStatus as PetStatuses } from '../../generated/enums.ts';
import { builder, Pet, PetStatus } from './builder.ts';
import { createPet, deletePet, getPet, updatePet } from './queries.ts';

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

const UpdatePetInput = builder.inputType('UpdatePetInput', {
  fields: (t) => ({
    name: t.string(),
    categoryId: t.id(),
    status: t.field({ type: PetStatus }),
  }),
});

builder.mutationField('updatePet', (t) =>
  t.field({
    type: Pet,
    nullable: true,
    args: {
      id: t.arg.id({ required: true }),
      input: t.arg({ type: UpdatePetInput, required: true }),
    },
    resolve: async (_root, { id, input: { name, categoryId, status } }) =>
      updatePet(BigInt(id), {
        ...(name != null && { name }),
        ...(categoryId != null && { categoryId: BigInt(categoryId) }),
        ...(status != null && { status }),
      }),
  }),
);

const DeletedPet = builder.objectRef<{ readonly id: bigint }>('DeletedPet').implement({
  fields: (t) => ({ id: t.exposeID('id') }),
});

builder.mutationField('deletePet', (t) =>
  t.field({
    type: DeletedPet,
    nullable: true,
    args: { id: t.arg.id({ required: true }) },
    resolve: async (_root, { id }) => deletePet(BigInt(id)),
  }),
);

/** The part of the gateway's schema that the benchmark uses, for the GraphQL servers. */
export const schema = builder.toSchema();
