import { constant, constantFrom, integer, oneof, tuple, type Arbitrary } from 'fast-check';
import { get, post, TAG_PLACE, type Fields, type WireRequest } from './exchange.ts';
import { either } from './hostile-values.ts';

/** Number of animals that hostile requests may get, change and delete. Their ids start at 1. */
export const VICTIMS = 50;

/** Documents that cover the whole schema, with valid variables. */
const OPERATIONS = [
  ['{ __typename }', {}],
  [
    'query ($s: PetStatus, $l: Int!, $a: ID) { pets(status: $s, limit: $l, after: $a) { id name categoryId status } }',
    { s: 'sold', l: 5, a: '1' },
  ],
  [
    'query Page($l: Int! = 3) { petsConnection(limit: $l) { nodes { id } edges { cursor node { ...P } } pageInfo { hasNextPage endCursor } } } fragment P on Pet { id name }',
    {},
  ],
  [
    'query ($n: Int, $b: ID) { petsConnection(last: $n, before: $b) { edges { node { id } } pageInfo { hasPreviousPage startCursor hasNextPage } } }',
    { n: 3, b: 9 },
  ],
  [
    'query ($id: ID!, $no: Boolean!) { pet(id: $id) { id name @skip(if: $no) } }',
    { id: 1, no: true },
  ],
  [
    'mutation ($input: NewPet!) { createPet(input: $input) { id name categoryId status } }',
    { input: { name: TAG_PLACE, categoryId: '7', status: 'pending' } },
  ],
  ['{ __schema { types { name fields { name } } } __type(name: "Pet") { name } }', {}],
] as const;
const ANIMAL = JSON.stringify({ name: TAG_PLACE, categoryId: 7, status: 'sold' });
const GETS = either(
  '/v1/pets|/v1/pets?status=available&limit=20|/v1/pets?limit=1&after=5',
  '/|/v1|/v1/openapi.json|/schema.graphql|/nowhere',
);

/** Headers of a request to `/graphql`, whose response status depends on the accepted media type. */
export const eitherMediaType: Arbitrary<Fields> = constantFrom<Fields[]>(
  [],
  [['Accept', 'application/graphql-response+json']],
);

const operation = tuple(
  constantFrom<(readonly [string, object])[]>(...OPERATIONS),
  eitherMediaType,
);

/** A request to either API that succeeds. */
export const validRequest: Arbitrary<WireRequest> = oneof(
  { arbitrary: GETS.map((target) => get(target)), weight: 2 },
  integer({ min: 1, max: VICTIMS }).map((id) => get(`/v1/pets/${id}`)),
  constant({ ...get('/v1/pets?limit=2'), method: 'HEAD' }),
  { arbitrary: constant(post('/v1/pets', ANIMAL)), weight: 2 },
  operation.map(([[query, variables], accepted]) => {
    const search = new URLSearchParams({ query, variables: JSON.stringify(variables) });
    return get(`/graphql?${String(search)}`, accepted);
  }),
  {
    arbitrary: operation.map(([[query, variables], accepted]) =>
      post('/graphql', JSON.stringify({ query, variables }), accepted),
    ),
    weight: 2,
  },
);
