import { animalsBuilder, apiOf } from './declared-store.ts';
import { PAGE_INFO } from '@store-gateway/rest';
import { startGateway, type Gateway, type GatewayOptions } from './gateway.ts';
import { createHash } from 'node:crypto';
import { codedError } from '@store-gateway/ops/errors';
import { int64, text, preconditionFailed } from '@store-gateway/graphql';
import type { Pet as Row, PrismaClient } from '../../prisma/generated/client.ts';
import { PetStatus as STATUSES } from '../../prisma/generated/enums.ts';

/*
 * A store whose animals can be changed in every way that routes support, by hand-written resolvers. A version is a hash
 * of the row, and a change applies only to the row that was compared.
 */

const builder = animalsBuilder();

const NOT_FOUND = 'There is no animal with this id';

const PetStatus = builder.enumType('PetStatus', {
  description: 'Availability of an animal.',
  values: ['available', 'pending', 'sold'] as const,
});

const Pet = builder.prismaObject('Pet', {
  description: 'An animal.',
  resource: { plural: 'pets', noun: 'animal', nouns: 'animals' },
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Its id.' }),
    name: t.exposeString('name', { description: 'Its name.', example: 'Rex' }),
    categoryId: t.exposeID('categoryId', { description: 'Its category.', example: 7 }),
    status: t.expose('status', { type: PetStatus, description: 'Its availability.' }),
    version: t.string({
      description: 'Changes with it.',
      extensions: { isVersion: true },
      resolve: versionOf,
    }),
  }),
});

function versionOf({ id, name, categoryId, status }: Row): string {
  const row = [id, name, categoryId, status].join('\n');
  // Contains a hyphen and a quote, which entity tags must encode.
  return `v-"${createHash('sha256').update(row).digest('hex').slice(0, 16)}`;
}

builder.connectionField(
  builder.listField(Pet, { find: (query, { database }) => database.pet.findMany(query) }),
);
builder.getField(Pet, { find: (query, { database }) => database.pet.findUnique(query) });

const NewPet = builder.inputType('NewPet', {
  description: 'An animal.',
  fields: (t) => ({
    name: t.string({ required: true, rule: text(1, 255), description: 'Its name.' }),
    categoryId: t.id({ required: true, rule: int64, description: 'Its category.' }),
    status: t.field({
      type: PetStatus,
      required: true,
      defaultValue: STATUSES.available,
      description: 'Its availability.',
    }),
  }),
});

const PetChange = builder.inputType('PetChange', {
  description: 'What is to change of an animal.',
  fields: (t) => ({
    name: t.string({ rule: text(1, 255), description: 'Its name.' }),
    categoryId: t.id({ rule: int64, description: 'Its category.' }),
    status: t.field({ type: PetStatus, description: 'Its availability; null makes it available.' }),
  }),
});

type Change = Partial<Pick<Row, 'name' | 'categoryId' | 'status'>>;

/** Changes or removes an animal, but only if it is still as it was when its version was compared. */
async function changed(
  { pet }: PrismaClient,
  {
    id,
    expected,
  }: { readonly id: string; readonly expected?: readonly string[] | null | undefined },
  data: Change | 'removed',
): Promise<Row> {
  const row = await pet.findUnique({ where: { id: BigInt(id) } });
  if (row === null) {
    throw codedError('NOT_FOUND', NOT_FOUND);
  }
  if (expected?.includes(versionOf(row)) === false) {
    throw preconditionFailed();
  }
  const { name, categoryId, status } = row;
  const where = { id: row.id, ...(expected && { name, categoryId, status }) };
  const { count } =
    data === 'removed' ? await pet.deleteMany({ where }) : await pet.updateMany({ where, data });
  if (count === 0) {
    throw preconditionFailed();
  }
  return data === 'removed' ? row : { ...row, ...data };
}

builder.mutationField('createPet', (t) =>
  t.field({
    type: Pet,
    description: 'Adds an animal.',
    args: { input: t.arg({ type: NewPet, required: true, description: 'It.' }) },
    idempotency: true,
    resolve: (_root, { input }, { database }) =>
      database.pet.create({ data: { ...input, categoryId: BigInt(input.categoryId) } }),
  }),
);

const EXPECTED = {
  rule: text(1, 255),
  description: 'The versions that it may have.',
  extensions: { isPrecondition: true },
};

const ID = { required: true, rule: int64, description: 'Its id.' } as const;

builder.mutationFields((t) => ({
  updatePet: t.field({
    type: Pet,
    description: 'Changes an animal.',
    stability: 'beta',
    extensions: { notFound: NOT_FOUND },
    args: {
      id: t.arg.id(ID),
      expected: t.arg.stringList(EXPECTED),
      input: t.arg({ type: PetChange, required: true, description: 'The change.' }),
    },
    resolve: (_root, { input: { name, categoryId, status }, ...of }, { database }) =>
      changed(database, of, {
        ...(name != null && { name }),
        ...(categoryId != null && { categoryId: BigInt(categoryId) }),
        ...(status !== undefined && { status: status ?? STATUSES.available }),
      }),
  }),
  replacePet: t.field({
    type: Pet,
    description: 'Replaces an animal.',
    extensions: { notFound: NOT_FOUND },
    args: {
      id: t.arg.id(ID),
      expected: t.arg.stringList({ ...EXPECTED, required: true }),
      input: t.arg({ type: NewPet, required: true, description: 'It, as it is to be.' }),
    },
    resolve: (_root, { input: { name, categoryId, status }, ...of }, { database }) =>
      changed(database, of, { name, categoryId: BigInt(categoryId), status }),
  }),
  sellPet: t.field({
    type: Pet,
    description: 'Sells an animal.',
    extensions: { notFound: NOT_FOUND },
    args: { id: t.arg.id(ID) },
    resolve: (_root, of, { database }) => changed(database, of, { status: STATUSES.sold }),
  }),
  deletePet: t.field({
    type: Pet,
    description: 'Removes an animal.',
    stability: 'beta',
    extensions: { notFound: NOT_FOUND },
    args: { id: t.arg.id(ID), expected: t.arg.stringList(EXPECTED) },
    resolve: (_root, of, { database }) => changed(database, of, 'removed'),
  }),
}));

builder.queryType({ description: 'Operations that read.' });
builder.mutationType({ description: 'Operations that write.' });

const PET = 'fragment Pet on Pet { id name categoryId status }';
const api = apiOf(builder.toSchema({ sortSchema: false }), 'Animals that change', {
  'get /pets': `query listPets($limit: Int, $after: ID) {
    petsConnection(limit: $limit, after: $after) { nodes { ...Pet } ${PAGE_INFO} }
  } ${PET}`,
  'post /pets': `mutation createPet($input: NewPet!) { createPet(input: $input) { ...Pet } } ${PET}`,
  'get /pets/:petId': `query getPet($petId: ID!) { pet(id: $petId) { ...Pet } } ${PET}`,
  'patch /pets/:petId': `mutation updatePet($petId: ID!, $expected: [String!], $input: PetChange!) {
    updatePet(id: $petId, expected: $expected, input: $input) { ...Pet }
  } ${PET}`,
  'put /pets/:petId': `mutation replacePet($petId: ID!, $expected: [String!]!, $input: NewPet!) {
    replacePet(id: $petId, expected: $expected, input: $input) { ...Pet }
  } ${PET}`,
  'delete /pets/:petId': `mutation deletePet($petId: ID!, $expected: [String!]) {
    deletePet(id: $petId, expected: $expected) { id }
  }`,
  'post /pets/:petId/sale': {
    document: `mutation sellPet($petId: ID!) { sellPet(id: $petId) { ...Pet } } ${PET}`,
    status: 202,
  },
});

/** Serves the changeable animals on a new database. */
export function startChangedAnimals(options: Omit<GatewayOptions, 'api'> = {}): Promise<Gateway> {
  return startGateway({ ...options, api });
}
