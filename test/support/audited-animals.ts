import { animalsBuilder, apiOf } from './declared-store.ts';
import { startGateway, type Gateway, type GatewayOptions } from './gateway.ts';
import { int64, text } from '@store-gateway/graphql';
import type { PrismaClient } from '../../prisma/generated/client.ts';

/* A store of audited animals, with its own mutations in addition to those that the gateway generates. */

const builder = animalsBuilder();

const Pet = builder.prismaObject('Pet', {
  resource: { plural: 'pets', noun: 'animal', nouns: 'animals', audit: true },
  fields: (t) => ({
    id: t.exposeID('id'),
    name: t.exposeString('name', { example: 'Rex' }),
    initial: t.string({ select: { name: true }, resolve: ({ name }) => name.charAt(0) }),
    broken: t.string({
      resolve: () => {
        throw new Error('below what was done');
      },
    }),
  }),
});

builder.connectionField(
  builder.listField(Pet, { find: (query, { database }) => database.pet.findMany(query) }),
);
builder.getField(Pet, { find: (query, { database }) => database.pet.findUnique(query) });

builder.createField(Pet, {
  input: (t) => ({ name: t.string({ required: true, rule: text(1, 255) }) }),
  create: ({ data }, { database }) =>
    database.pet.create({ data: { ...data, categoryId: 1n, status: 'available' } }),
});
builder.updateField(Pet, {
  input: (t) => ({ name: t.string({ rule: text(1, 255) }) }),
  find: (query, { database }) => database.pet.findUnique(query),
  update: (query, { database }) => database.pet.update(query),
});
builder.deleteField(Pet, {
  find: (query, { database }) => database.pet.findUnique(query),
  delete: (query, { database }) => database.pet.delete(query),
});

const ID = { required: true, rule: int64 } as const;

builder.mutationFields((t) => ({
  movePet: t.field({
    type: Pet,
    args: { id: t.arg.id(ID) },
    resolve: (_root, { id }, { database }) =>
      database.pet.update({
        where: { id: BigInt(id) },
        data: { categoryId: { increment: 1n } },
      }),
  }),
  movedName: t.string({
    args: { id: t.arg.id(ID) },
    resolve: async (_root, { id }, { database }) => {
      const moved = await database.pet.update({
        where: { id: BigInt(id) },
        data: { categoryId: { increment: 1n } },
        select: { name: true },
      });
      return Object.entries(moved).join();
    },
  }),
  swapPets: t.field({
    type: [Pet],
    args: { id: t.arg.id(ID), fails: t.arg.boolean({ required: true }) },
    resolve: (_root, { id, fails }, { database }) =>
      database.$transaction(async (transaction) => {
        const added = await transaction.pet.create({
          data: { name: 'Another', categoryId: 1n, status: 'available' },
        });
        const removed = await transaction.pet.delete({ where: { id: BigInt(id) } });
        if (fails) {
          throw new Error('after all');
        }
        return [added, removed];
      }),
  }),
  write: t.boolean({
    args: { how: t.arg.string({ required: true, rule: text(1, 20) }) },
    resolve: async (_root, { how }, { database }) => {
      await UNNOTED[how]?.(database);
      return true;
    },
  }),
}));

/** Writes that an audited store rejects. */
export const UNNOTED: Readonly<Record<string, (database: PrismaClient) => Promise<unknown>>> = {
  updateMany: ({ pet }) => pet.updateMany({ data: { name: 'Unnoted' } }),
  deleteMany: ({ pet }) => pet.deleteMany(),
  createMany: ({ pet }) =>
    pet.createMany({ data: [{ name: 'Unnoted', categoryId: 1n, status: 'sold' }] }),
  createManyAndReturn: ({ pet }) =>
    pet.createManyAndReturn({ data: [{ name: 'Unnoted', categoryId: 1n, status: 'sold' }] }),
  updateManyAndReturn: ({ pet }) => pet.updateManyAndReturn({ data: { name: 'Unnoted' } }),
  upsert: ({ pet }) =>
    pet.upsert({
      where: { id: 0n },
      create: { name: 'Unnoted', categoryId: 1n, status: 'sold' },
      update: { name: 'Unnoted' },
    }),
  executeRaw: (database) => database.$executeRaw`UPDATE pets SET name = ${'Unnoted'}`,
  executeRawUnsafe: (database) =>
    database.$executeRawUnsafe('UPDATE "PETS" SET name = $1', 'Unnoted'),
  queryRaw: (database) =>
    database.$queryRaw`WITH gone AS (DELETE FROM pets RETURNING id) SELECT id FROM gone`,
  list: (database) =>
    database.$transaction([database.pet.update({ where: { id: 1n }, data: { name: 'Unnoted' } })]),
  manyInTransaction: (database) =>
    database.$transaction(({ pet }) => pet.updateMany({ data: { name: 'Unnoted' } })),
  extended: (database) => database.$extends({}).pet.updateMany({ data: { name: 'Unnoted' } }),
};

builder.queryType({});
builder.mutationType({});

export const auditedApi = apiOf(builder.toSchema({ sortSchema: false }), 'Audited animals', {
  'get /pets/:petId': 'query getPet($petId: ID!) { pet(id: $petId) { id name } }',
  'post /pets': 'mutation addPet($input: NewPet!) { createPet(input: $input) { id name } }',
  'patch /pets/:petId': `mutation changePet($petId: ID!, $expected: [String!], $input: UpdatePetInput!) {
    updatePet(id: $petId, expected: $expected, input: $input) { id name }
  }`,
});

/** Serves the audited animals on a new database. */
export function startAuditedAnimals(options: Omit<GatewayOptions, 'api'> = {}): Promise<Gateway> {
  return startGateway({ ...options, api: auditedApi });
}
