/** A request, by POST if it has a body. */
export interface Sent {
  readonly path: string;
  readonly body?: unknown;
}

export function graphql(query: string, variables?: object): Sent {
  return { path: '/graphql', body: { query, variables } };
}

/** A request to the store of deprecating-schema.ts, and the one thing that it uses of what is deprecated. */
export interface DeprecatedUse {
  readonly sent: Sent;
  /** As it is counted. */
  readonly of: string;
  /** As errors call it. */
  readonly name: string;
  /** It is removed on the first of January. */
  readonly year: number;
}

const CATEGORY = { of: 'Pet.categoryId', name: 'categoryId', year: 2032 };
const FORMAT = { of: 'Query.pet(format:)', name: 'format', year: 2038 };
const SOLD = { of: 'PetStatus.sold', name: 'sold', year: 2031 };
const NEW_CATEGORY = { of: 'NewPet.categoryId', name: 'categoryId', year: 2033 };

const CREATE = 'mutation($i: NewPet!) { createPet(input: $i) { id } }';

/** Every way to use something. */
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

/** Requests that could use something, and don't. */
export const OTHERS: readonly Sent[] = [
  graphql('query($f: String) { pet(id: 1, format: $f) { id } }'),
  graphql('query($s: PetStatus = sold) { pets(status: $s) { id } }', { s: 'pending' }),
  graphql(CREATE, { i: { name: 'Rex' } }),
  graphql('mutation($c: ID) { createPet(input: { name: "Rex", categoryId: $c }) { id } }'),
  { path: '/v1/pets' },
  { path: '/v1/pets?status=pending' },
  { path: '/v1/pets', body: { name: 'Rex' } },
];
