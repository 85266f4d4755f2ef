import type { InputShapeFromFields } from '@pothos/core';
import { codedError } from '@gateway/errors/coded-error';
import { PetStatus as PetStatuses } from '../database/generated/enums.ts';
import { builder } from './builder.ts';
import { int64, integerBetween, text, toInt64 } from '@gateway/pothos-plugins/input-rules';

const PetStatus = builder.enumType('PetStatus', {
  description: 'Availability of an animal.',
  values: {
    [PetStatuses.available]: { description: 'In the store, and for sale.' },
    [PetStatuses.pending]: { description: 'Being sold.' },
    [PetStatuses.sold]: { description: 'No longer in the store.' },
  },
});

export const Pet = builder.prismaObject('Pet', {
  description: 'An animal of the store.',
  select: {},
  fields: (t) => ({
    id: t.exposeID('id', {
      description: 'Unique identifier, assigned by the service on creation: a 64-bit integer.',
    }),
    name: t.exposeString('name', { description: "The animal's name." }),
    categoryId: t.exposeID('categoryId', {
      description: 'Identifier of the category the animal belongs to: a 64-bit integer.',
    }),
    status: t.expose('status', { type: PetStatus, description: 'Availability of the animal.' }),
  }),
});

/** What every list of animals takes. */
export const listArguments = builder.args((t) => ({
  status: t.field({
    type: PetStatus,
    description: 'Only animals with this availability; without it, all of them.',
  }),
  limit: t.int({
    required: true,
    defaultValue: 20,
    rule: integerBetween(1, 100),
    description: 'Maximum number of animals to return, 1 to 100.',
  }),
  after: t.id({
    rule: int64,
    description: 'The id of the last animal seen: the list goes on behind it.',
  }),
}));

export type ListArguments = InputShapeFromFields<typeof listArguments>;

/** What every list reads: ascending ids, so that `after` goes on where another list has ended. */
export function listQuery({ status, after }: ListArguments) {
  return {
    where: {
      ...(status == null ? {} : { status }),
      ...(after == null ? {} : { id: { gt: BigInt(after) } }),
    },
    orderBy: { id: 'asc' },
  } as const;
}

builder.queryField('pets', (t) =>
  t.field({
    type: [Pet],
    description: 'Lists animals, in the order of their ids.',
    extensions: { sameForEveryone: true },
    args: listArguments,
    resolve: (_root, args, { database }) =>
      database.pet.findMany({ ...listQuery(args), take: args.limit }),
  }),
);

const NO_SUCH_ANIMAL = 'There is no animal with this id';

builder.queryField('pet', (t) =>
  t.field({
    type: Pet,
    nullable: true,
    description: 'Fetches one animal by its identifier.',
    deprecation: {
      since: '2026-11-21',
      removal: '2030-12-05',
      replacement: {
        inWords: 'the list of animals with a status filter',
        fields: ['pets', 'petsConnection'],
        arguments: { status: 'available' },
      },
    },
    extensions: { notFound: NO_SUCH_ANIMAL },
    args: {
      id: t.arg.id({ required: true, description: 'Identifier of the animal to retrieve.' }),
    },
    resolve: async (_root, args, { database }) => {
      const id = toInt64(args.id);
      const pet = id === undefined ? null : await database.pet.findUnique({ where: { id } });
      if (pet === null) {
        throw codedError('NOT_FOUND', NO_SUCH_ANIMAL);
      }
      return pet;
    },
  }),
);

const NewPet = builder.inputType('NewPet', {
  description: 'An animal to add.',
  fields: (t) => ({
    name: t.string({
      required: true,
      rule: text(1, 255),
      description: "The animal's name: 1 to 255 characters, kept as sent.",
    }),
    categoryId: t.id({
      required: true,
      rule: int64,
      description: 'Identifier of the category the animal belongs to: a 64-bit integer.',
    }),
    status: t.field({
      type: PetStatus,
      required: true,
      defaultValue: PetStatuses.available,
      description: 'Availability of the animal.',
    }),
  }),
});

builder.mutationField('createPet', (t) =>
  t.field({
    type: Pet,
    description: 'Adds an animal.',
    args: {
      input: t.arg({ type: NewPet, required: true, description: 'The animal to add.' }),
    },
    idempotency: { reused: 'This Idempotency-Key has added another animal' },
    resolve: (_root, { input: { name, categoryId, status } }, { database }) =>
      database.pet.create({ data: { name, categoryId: BigInt(categoryId), status } }),
  }),
);
