import { codedError } from '../errors.ts';
import { PetStatus as PetStatuses } from '../database/generated/enums.ts';
import { builder } from './builder.ts';
import { int64, integerBetween, text, toInt64 } from './input-rules.ts';

const PetStatus = builder.enumType('PetStatus', {
  description: 'Availability of an animal.',
  values: {
    [PetStatuses.available]: { description: 'In the store, and for sale.' },
    [PetStatuses.pending]: { description: 'Being sold.' },
    [PetStatuses.sold]: { description: 'No longer in the store.' },
  },
});

const Pet = builder.prismaObject('Pet', {
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

builder.queryField('pets', (t) =>
  t.prismaField({
    type: [Pet],
    description: 'Lists animals, in the order of their ids.',
    args: {
      status: t.arg({
        type: PetStatus,
        description: 'Only animals with this availability; without it, all of them.',
      }),
      limit: t.arg.int({
        required: true,
        defaultValue: 20,
        rule: integerBetween(1, 100),
        description: 'Maximum number of animals to return, 1 to 100.',
      }),
      after: t.arg.id({
        rule: int64,
        description: 'The id of the last animal seen: the list goes on behind it.',
      }),
    },
    resolve: (query, _root, { status, limit, after }, { database }) =>
      database.pet.findMany({
        ...query,
        where: {
          ...(status == null ? {} : { status }),
          ...(after == null ? {} : { id: { gt: BigInt(after) } }),
        },
        orderBy: { id: 'asc' },
        take: limit,
      }),
  }),
);

builder.queryField('pet', (t) =>
  t.prismaField({
    type: Pet,
    nullable: true,
    description: 'Fetches one animal by its identifier.',
    deprecationReason:
      'To be removed on 5 December 2030. Use pets with a status filter instead: pets(status: available).',
    args: {
      id: t.arg.id({ required: true, description: 'Identifier of the animal to retrieve.' }),
    },
    resolve: async (query, _root, args, { database }) => {
      const id = toInt64(args.id);
      const pet =
        id === undefined ? null : await database.pet.findUnique({ ...query, where: { id } });
      if (pet === null) {
        throw codedError('NOT_FOUND', 'There is no animal with this id');
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
  t.prismaField({
    type: Pet,
    description: 'Adds an animal.',
    args: { input: t.arg({ type: NewPet, required: true, description: 'The animal to add.' }) },
    resolve: (query, _root, { input: { name, categoryId, status } }, { database }) =>
      database.pet.create({ ...query, data: { name, categoryId: BigInt(categoryId), status } }),
  }),
);
