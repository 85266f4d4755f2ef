import { animalsBuilder, apiOf } from './declared-store.ts';
import { PAGE_INFO } from '@store-gateway/rest';
import { int64, text } from '@store-gateway/graphql';
import { createKey } from './keys.ts';
import { listDeprecatedCalls } from '../../packages/gateway/src/usage/deprecated-calls.ts';
import type { Answer, Gateway } from './gateway.ts';

/* A store with a deprecation of each kind, ordered by removal date. */

const builder = animalsBuilder();

/** Returns a deprecation that ends on the first of January of a year. */
export function until(year: number, inWords: string) {
  return { since: '2026-11-25', removal: `${year}-01-01`, replacement: { inWords } };
}

const PetStatus = builder.enumType('PetStatus', {
  values: {
    available: {},
    pending: {},
    sold: { description: 'Gone.', deprecation: until(2031, 'pending') },
  },
});

const Pet = builder.prismaObject('Pet', {
  resource: { plural: 'pets', noun: 'animal', nouns: 'animals' },
  fields: (t) => ({
    id: t.exposeID('id'),
    name: t.exposeString('name', { example: 'Rex' }),
    categoryId: t.exposeID('categoryId', {
      example: 7,
      deprecation: until(2032, 'the name'),
    }),
    status: t.expose('status', { type: PetStatus }),
  }),
});

builder.connectionField(
  builder.listField(Pet, {
    filters: (t) => ({ status: t.field({ type: PetStatus }) }),
    find: (query, { database }) => database.pet.findMany(query),
  }),
);

const Colour = builder.enumType('Colour', {
  values: ['red', 'blue'] as const,
  deprecation: until(2035, 'a picture'),
});

const Label = builder.objectRef<{ readonly text: string }>('Label').implement({
  deprecation: until(2036, 'the name'),
  fields: (t) => ({ text: t.exposeString('text', { example: 'Rex' }) }),
});

const Card = builder.objectRef<{ readonly title: string }>('Card').implement({
  resource: { plural: 'cards' },
  fields: (t) => ({
    title: t.exposeString('title', { example: 'Rex' }),
    size: t.int({ example: 90, deprecation: until(2034, 'the title'), resolve: () => 90 }),
    label: t.field({ type: Label, resolve: () => ({ text: 'Rex' }) }),
  }),
});

const NewPet = builder.inputType('NewPet', {
  fields: (t) => ({
    name: t.string({ required: true, rule: text(1, 255) }),
    categoryId: t.id({
      rule: int64,
      description: 'Its category.',
      deprecation: until(2033, 'the name'),
    }),
    status: t.field({ type: PetStatus, required: true, defaultValue: 'available' }),
  }),
});

const Extras = builder.inputType('Extras', {
  deprecation: until(2037, 'the name'),
  fields: (t) => ({ note: t.string({ rule: text(1, 255) }) }),
});

builder.queryFields((t) => ({
  pet: t.field({
    type: Pet,
    nullable: true,
    description: 'An animal.',
    args: {
      id: t.arg.id({ required: true, rule: int64 }),
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
    args: { colour: t.arg({ type: Colour, description: 'Of the paper.' }) },
    resolve: () => ({ title: 'Rex' }),
  }),
  oldCard: t.field({
    type: Card,
    deprecation: until(2039, 'the card'),
    resolve: () => ({ title: 'Rex' }),
  }),
}));

builder.mutationField('createPet', (t) =>
  t.field({
    type: Pet,
    args: {
      input: t.arg({ type: NewPet, required: true }),
      extras: t.arg({ type: Extras, description: 'More of it.' }),
    },
    resolve: (_root, { input: { name, categoryId, status } }, { database }) =>
      database.pet.create({ data: { name, categoryId: BigInt(categoryId ?? 1), status } }),
  }),
);

builder.queryType({});
builder.mutationType({});

export const deprecatingStore = apiOf(builder.toSchema({ sortSchema: false }), 'Ageing animals', {
  'get /pets': `query listPets($status: PetStatus, $limit: Int, $after: ID) {
    petsConnection(status: $status, limit: $limit, after: $after) {
      nodes { id name status } ${PAGE_INFO}
    }
  }`,
  'post /pets':
    'mutation createPet($input: NewPet!) { createPet(input: $input) { id name status } }',
  'get /pets/:petId': {
    document: 'query getPet($petId: ID!) { pet(id: $petId) { id name status } }',
    deprecation: until(2040, 'the list'),
  },
  'get /card':
    'query getCard($colour: Colour) { card(colour: $colour) { title size label { text } } }',
});

/** A request, which is a POST if it has a body. */
interface Sent {
  readonly path: string;
  readonly body?: unknown;
}

export function graphql(query: string, variables?: object): Sent {
  return { path: '/graphql', body: { query, variables } };
}

/** A request to this store, and the only deprecated item that it uses. */
interface DeprecatedUse {
  readonly sent: Sent;
  /** The name under which it is counted. */
  readonly of: string;
  /** The name that error messages use. */
  readonly name: string;
  /** It is removed on the first of January of this year. */
  readonly year: number;
}

const CATEGORY = { of: 'Pet.categoryId', name: 'categoryId', year: 2032 };
const FORMAT = { of: 'Query.pet(format:)', name: 'format', year: 2038 };
const SOLD = { of: 'PetStatus.sold', name: 'sold', year: 2031 };
const NEW_CATEGORY = { of: 'NewPet.categoryId', name: 'categoryId', year: 2033 };

const CREATE = 'mutation($i: NewPet!) { createPet(input: $i) { id } }';

/** Every way to use a deprecated item. */
export const USES: readonly DeprecatedUse[] = [
  { ...CATEGORY, sent: graphql('{ pets { categoryId } }') },
  { ...CATEGORY, sent: graphql('{ pets { ...P } } fragment P on Pet { old: categoryId }') },
  { ...FORMAT, sent: graphql('{ pet(id: 1, format: "x") { id } }') },
  {
    ...FORMAT,
    sent: graphql('query($f: String) { pet(id: 1, format: $f) { id } }', { f: 'x' }),
  },
  { ...FORMAT, sent: graphql('query($f: String = "x") { pet(id: 1, format: $f) { id } }') },
  { ...SOLD, sent: graphql('{ pets(status: sold) { id } }') },
  {
    ...SOLD,
    sent: graphql('query($s: PetStatus) { pets(status: $s) { id } }', { s: 'sold' }),
  },
  { ...SOLD, sent: graphql('query($s: PetStatus = sold) { pets(status: $s) { id } }') },
  { ...SOLD, sent: graphql(CREATE, { i: { name: 'Rex', status: 'sold' } }) },
  { ...SOLD, sent: { path: '/v1/pets?status=sold' } },
  { ...SOLD, sent: { path: '/v1/pets', body: { name: 'Rex', status: 'sold' } } },
  {
    ...NEW_CATEGORY,
    sent: graphql('mutation { createPet(input: { name: "Rex", categoryId: 1 }) { id } }'),
  },
  { ...NEW_CATEGORY, sent: graphql(CREATE, { i: { name: 'Rex', categoryId: '1' } }) },
  {
    ...NEW_CATEGORY,
    sent: graphql('mutation($c: ID) { createPet(input: { name: "Rex", categoryId: $c }) { id } }', {
      c: '1',
    }),
  },
  { ...NEW_CATEGORY, sent: { path: '/v1/pets', body: { name: 'Rex', categoryId: 1 } } },
  {
    of: 'Extras',
    name: 'Extras',
    year: 2037,
    sent: graphql('mutation { createPet(input: { name: "Rex" }, extras: { note: "x" }) { id } }'),
  },
  {
    of: 'Label',
    name: 'Label',
    year: 2036,
    sent: graphql('{ card { label { text } } }'),
  },
  {
    of: 'Colour',
    name: 'Colour',
    year: 2035,
    sent: graphql('{ card(colour: red) { title } }'),
  },
  { of: 'Card.size', name: 'size', year: 2034, sent: graphql('{ card { size } }') },
  { of: 'GET /v1/pets/{petId}', name: 'This', year: 2040, sent: { path: '/v1/pets/1' } },
];

/** Requests that could use a deprecated item, but do not. */
export const OTHERS: readonly Sent[] = [
  graphql('query($f: String) { pet(id: 1, format: $f) { id } }'),
  graphql('query($s: PetStatus = sold) { pets(status: $s) { id } }', { s: 'pending' }),
  graphql(CREATE, { i: { name: 'Rex' } }),
  graphql('mutation($c: ID) { createPet(input: { name: "Rex", categoryId: $c }) { id } }'),
  { path: '/v1/pets' },
  { path: '/v1/pets?status=pending' },
  { path: '/v1/pets', body: { name: 'Rex' } },
];

/** Returns a function that creates keys whose deprecated calls are counted separately. */
export function countingKeys({
  database,
  deprecatedCalls,
  request,
}: Pick<Gateway, 'database' | 'deprecatedCalls' | 'request'>) {
  return async () => {
    const { key, id } = await createKey(database);
    const authorization = { Authorization: `Bearer ${key}` };
    return {
      send: ({ path, body }: Sent, headers: Record<string, string> = {}): Promise<Answer> =>
        request(path, {
          ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
          headers: { ...authorization, 'Content-Type': 'application/json', ...headers },
        }),
      /** Returns the deprecated items that the key has called, and how often. */
      calls: async (): Promise<Record<string, number>> => {
        await deprecatedCalls.flush();
        const all = await listDeprecatedCalls(database);
        const counted = all.filter((record) => record.key.id === id);
        return Object.fromEntries(counted.map(({ field, calls }) => [field, Number(calls)]));
      },
    };
  };
}

/** Returns the Sunset header for an item that is removed on the first of January. */
export function sunsetOf(year: number): string {
  return new Date(`${year}-01-01`).toUTCString();
}
