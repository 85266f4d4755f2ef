import SchemaBuilder from '@pothos/core';
import { builderOptions, type BuilderTypes } from '@store-gateway/gateway/schema';
import { int64, text } from '@store-gateway/graphql';
import { models } from '../../prisma/generated/batched-models.ts';
import type { PrismaClient } from '../../prisma/generated/client.ts';
import type PrismaTypes from '../../prisma/generated/pothos.ts';
import { getDatamodel } from '../../prisma/generated/pothos.ts';

/*
 * A store that deprecates something of each kind. What is removed first comes first here; the replacement of each says what it
 * is of.
 */

const builder = new SchemaBuilder<BuilderTypes<PrismaClient, PrismaTypes>>(
  builderOptions(models, getDatamodel()),
);

/** A deprecation until the first of January of a year. */
export function until(year: number, inWords: string) {
  return { since: '2026-11-25', removal: `${year}-01-01`, replacement: { inWords } };
}

const PetStatus = builder.enumType('PetStatus', {
  description: 'Availability.',
  values: {
    available: { description: 'Here.' },
    pending: { description: 'Nearly gone.' },
    sold: { description: 'Gone.', deprecation: until(2031, 'pending') },
  },
});

const Pet = builder.prismaObject('Pet', {
  description: 'An animal.',
  resource: { plural: 'pets', noun: 'animal', nouns: 'animals' },
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Its id.' }),
    name: t.exposeString('name', { description: 'Its name.', example: 'Rex' }),
    categoryId: t.exposeID('categoryId', {
      description: 'Its category.',
      example: 7,
      deprecation: until(2032, 'the name'),
    }),
    status: t.expose('status', { type: PetStatus, description: 'Its availability.' }),
  }),
});

builder.connectionField(
  builder.listField(Pet, {
    filters: (t) => ({ status: t.field({ type: PetStatus, description: 'With this one.' }) }),
    find: (query, { database }) => database.pet.findMany(query),
  }),
);

const Colour = builder.enumType('Colour', {
  description: 'What it looks like.',
  values: ['red', 'blue'] as const,
  deprecation: until(2035, 'a picture'),
});

const Label = builder.objectRef<{ readonly text: string }>('Label').implement({
  description: 'What is written on it.',
  deprecation: until(2036, 'the name'),
  fields: (t) => ({
    text: t.exposeString('text', { description: 'The words.', example: 'Rex' }),
  }),
});

const Card = builder.objectRef<{ readonly title: string }>('Card').implement({
  description: 'What hangs at its cage.',
  resource: { plural: 'cards' },
  fields: (t) => ({
    title: t.exposeString('title', { description: 'The heading.', example: 'Rex' }),
    size: t.int({
      description: 'In millimetres.',
      example: 90,
      deprecation: until(2034, 'the title'),
      resolve: () => 90,
    }),
    label: t.field({ type: Label, description: 'Its label.', resolve: () => ({ text: 'Rex' }) }),
  }),
});

const NewPet = builder.inputType('NewPet', {
  description: 'An animal.',
  fields: (t) => ({
    name: t.string({ required: true, rule: text(1, 255), description: 'Its name.' }),
    categoryId: t.id({
      rule: int64,
      description: 'Its category.',
      deprecation: until(2033, 'the name'),
    }),
    status: t.field({
      type: PetStatus,
      required: true,
      defaultValue: 'available',
      description: 'Its availability.',
    }),
  }),
});

const Extras = builder.inputType('Extras', {
  description: 'What else there is to say.',
  deprecation: until(2037, 'the name'),
  fields: (t) => ({ note: t.string({ rule: text(1, 255), description: 'Anything.' }) }),
});

builder.queryFields((t) => ({
  pet: t.field({
    type: Pet,
    nullable: true,
    description: 'An animal.',
    args: {
      id: t.arg.id({ required: true, rule: int64, description: 'Its id.' }),
      format: t.arg.string({
        rule: text(1, 10),
        description: 'Nobody knows.',
        deprecation: until(2038, 'no format'),
      }),
    },
    resolve: (_root, { id }, { database }) =>
      database.pet.findUnique({ where: { id: BigInt(id) } }),
  }),
  card: t.field({
    type: Card,
    description: 'Its card.',
    args: {
      colour: t.arg({ type: Colour, description: 'Of the paper.' }),
    },
    resolve: () => ({ title: 'Rex' }),
  }),
  oldCard: t.field({
    type: Card,
    description: 'Its card.',
    deprecation: until(2039, 'the card'),
    resolve: () => ({ title: 'Rex' }),
  }),
}));

builder.mutationField('createPet', (t) =>
  t.field({
    type: Pet,
    description: 'Adds an animal.',
    args: {
      input: t.arg({ type: NewPet, required: true, description: 'It.' }),
      extras: t.arg({ type: Extras, description: 'More of it.' }),
    },
    resolve: (_root, { input: { name, categoryId, status } }, { database }) =>
      database.pet.create({ data: { name, categoryId: BigInt(categoryId ?? 1), status } }),
  }),
);

builder.queryType({ description: 'Operations that read.' });
builder.mutationType({ description: 'Operations that write.' });
export const schema = builder.toSchema({ sortSchema: false });
