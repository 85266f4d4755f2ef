import SchemaBuilder from '@pothos/core';
import { builderOptions, type BuilderTypes } from '@store-gateway/gateway/schema';
import { int64, text } from '@store-gateway/graphql';
import { models } from '../../prisma/generated/batched-models.ts';
import type { PrismaClient } from '../../prisma/generated/client.ts';
import type PrismaTypes from '../../prisma/generated/pothos.ts';
import { getDatamodel } from '../../prisma/generated/pothos.ts';

/* A store of audited animals, with mutations of its own beside those that the gateway makes. */

const builder = new SchemaBuilder<BuilderTypes<PrismaClient, PrismaTypes>>(
  builderOptions(models, getDatamodel()),
);

const Pet = builder.prismaObject('Pet', {
  description: 'An animal.',
  resource: { plural: 'pets', noun: 'animal', nouns: 'animals', audit: true },
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Its id.' }),
    name: t.exposeString('name', { description: 'Its name.', example: 'Rex' }),
    initial: t.string({
      description: 'What its name begins with.',
      select: { name: true },
      resolve: ({ name }) => name.charAt(0),
    }),
    broken: t.string({
      description: 'Never there.',
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
  input: (t) => ({
    name: t.string({ required: true, rule: text(1, 255), description: 'Its name.' }),
  }),
  create: ({ data }, { database }) =>
    database.pet.create({ data: { ...data, categoryId: 1n, status: 'available' } }),
});
builder.updateField(Pet, {
  input: (t) => ({ name: t.string({ rule: text(1, 255), description: 'Its name.' }) }),
  find: (query, { database }) => database.pet.findUnique(query),
  update: (query, { database }) => database.pet.update(query),
});
builder.deleteField(Pet, {
  find: (query, { database }) => database.pet.findUnique(query),
  delete: (query, { database }) => database.pet.delete(query),
});

const ID = { required: true, rule: int64, description: 'Its id.' } as const;

builder.mutationFields((t) => ({
  movePet: t.field({
    type: Pet,
    description: 'Moves an animal to the next category, which only the engine can.',
    args: { id: t.arg.id(ID) },
    resolve: (_root, { id }, { database }) =>
      database.pet.update({
        where: { id: BigInt(id) },
        data: { categoryId: { increment: 1n } },
      }),
  }),
  movedName: t.string({
    description: 'The same, of which the name is asked alone.',
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
    description: 'Sells one animal for another, or does neither.',
    args: { id: t.arg.id(ID), fails: t.arg.boolean({ required: true, description: 'Whether.' }) },
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
    description: 'Writes in a way that nothing would note.',
    args: { how: t.arg.string({ required: true, rule: text(1, 20), description: 'How.' }) },
    resolve: async (_root, { how }, { database }) => {
      await UNNOTED[how]?.(database);
      return true;
    },
  }),
}));

/** Each is refused. */
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

builder.queryType({ description: 'Operations that read.' });
builder.mutationType({ description: 'Operations that write.' });
export const schema = builder.toSchema({ sortSchema: false });
