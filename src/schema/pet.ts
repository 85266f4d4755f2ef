import { int64, text } from '@store-gateway/graphql';
import { PetStatus as PetStatuses } from '../../prisma/generated/enums.ts';
import { builder } from './builder.ts';

const PetStatus = builder.enumType('PetStatus', {
  description: 'Availability of an animal.',
  values: {
    [PetStatuses.available]: { description: 'In the store and for sale.' },
    [PetStatuses.pending]: { description: 'Being sold.' },
    [PetStatuses.sold]: { description: 'No longer in the store.' },
  },
});

const Pet = builder.prismaObject('Pet', {
  description: 'An animal of the store.',
  resource: {
    plural: 'pets',
    noun: 'animal',
    nouns: 'animals',
    about: 'The animals of the store.',
  },
  fields: (t) => ({
    id: t.exposeID('id', {
      description: 'Unique identifier, assigned by the service on creation: a 64-bit integer.',
      jsonSchema: { ...int64.jsonSchema, minimum: 1 },
    }),
    name: t.exposeString('name', { description: "The animal's name.", example: 'Rex' }),
    categoryId: t.exposeID('categoryId', {
      description: 'Identifier of the category the animal belongs to: a 64-bit integer.',
      example: 7,
    }),
    status: t.expose('status', { type: PetStatus, description: 'Availability of the animal.' }),
  }),
});

export const pets = builder.listField(Pet, {
  filters: (t) => ({
    status: t.field({
      type: PetStatus,
      description: 'Only animals with this availability. By default, all animals.',
    }),
  }),
  byIds: true,
  find: (query, { database }) => database.pet.findMany(query),
});

builder.getField(Pet, {
  find: (query, { database }) => database.pet.findUnique(query),
  deprecation: {
    since: '2026-11-21',
    removal: '2030-12-05',
    replacement: {
      inWords: 'the list of animals with a status filter or ids',
      fields: ['pets', 'petsConnection'],
      arguments: [{ ids: { argument: 'id', example: ['42'] } }, { status: 'available' }],
    },
  },
});

builder.connectionField(pets);

const NAME = {
  rule: text(1, 255),
  description: "The animal's name: 1 to 255 characters, kept as sent.",
};
const CATEGORY_ID = {
  rule: int64,
  description: 'Identifier of the category the animal belongs to: a 64-bit integer.',
};
const STATUS = { type: PetStatus, description: 'Availability of the animal.' };

const NewPet = builder.inputType('NewPet', {
  description: 'An animal to add.',
  fields: (t) => ({
    name: t.string({ ...NAME, required: true }),
    categoryId: t.id({ ...CATEGORY_ID, required: true }),
    status: t.field({ ...STATUS, required: true, defaultValue: PetStatuses.available }),
  }),
});

builder.mutationField('createPet', (t) =>
  t.field({
    type: Pet,
    description: 'Adds an animal.',
    args: {
      input: t.arg({ type: NewPet, required: true, description: 'The animal to add.' }),
    },
    idempotency: { reused: 'This Idempotency-Key was already used to add another animal' },
    createsRow: true,
    resolve: (_root, { input }, { database }) =>
      database.pet.create({
        data: {
          name: input.name,
          categoryId: BigInt(input.categoryId),
          status: input.status,
        },
      }),
  }),
);

builder.updateField(Pet, {
  input: (t) => ({
    name: t.string(NAME),
    categoryId: t.id(CATEGORY_ID),
    status: t.field(STATUS),
  }),
  find: (query, { database }) => database.pet.findUnique(query),
  update: (query, { database }) => database.pet.update(query),
  stability: 'beta',
});

builder.deleteField(Pet, {
  find: (query, { database }) => database.pet.findUnique(query),
  delete: (query, { database }) => database.pet.delete(query),
  stability: 'beta',
});
