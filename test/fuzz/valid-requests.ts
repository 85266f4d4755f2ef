import { VICTIMS } from './audit.ts';
import { KEY_PLACE } from './exchange.ts';
import type { Random } from './random.ts';
import type { WireRequest } from './wire-request.ts';

type Headers = WireRequest['headers'];

const HEADERS: Headers = [
  ['Host', 'animals.example'],
  ['Authorization', `Bearer ${KEY_PLACE}`],
];

/** Documents of all that the schema has, with variables that fit. */
const OPERATIONS: readonly (readonly [query: string, variables: (tag: string) => object])[] = [
  ['{ __typename }', () => ({})],
  [
    'query ($s: PetStatus, $l: Int!, $a: ID) { pets(status: $s, limit: $l, after: $a) { id name categoryId status } }',
    () => ({ s: 'sold', l: 5, a: '1' }),
  ],
  [
    'query Page($l: Int! = 3) { petsConnection(limit: $l) { nodes { id } edges { cursor node { ...P } } pageInfo { hasNextPage endCursor } } } fragment P on Pet { id name }',
    () => ({}),
  ],
  [
    'query ($n: Int, $b: ID) { petsConnection(last: $n, before: $b) { edges { node { id } } pageInfo { hasPreviousPage startCursor hasNextPage } } }',
    () => ({ n: 3, b: 9 }),
  ],
  [
    'query ($id: ID!, $no: Boolean!) { pet(id: $id) { id name @skip(if: $no) } }',
    () => ({ id: 1, no: true }),
  ],
  [
    'mutation ($input: NewPet!) { createPet(input: $input) { id name categoryId status } }',
    (tag) => ({ input: { name: tag, categoryId: '7', status: 'pending' } }),
  ],
  ['{ __schema { types { name fields { name } } } __type(name: "Pet") { name } }', () => ({})],
];

/** A request that the service does what it says, whatever surface it is of. */
export function validRequest(random: Random, tag: string): WireRequest {
  const [query, variables] = random.pick(OPERATIONS);
  const given = JSON.stringify(variables(tag));
  switch (random.integer(0, 8)) {
    case 0:
      return get(
        random.pick(['/v1/pets', '/v1/pets?status=available&limit=20', '/v1/pets?limit=1&after=5']),
      );
    case 1:
      return get(`/v1/pets/${random.integer(1, VICTIMS)}`);
    case 2:
      return { ...get('/v1/pets?limit=2'), method: 'HEAD' };
    case 3:
    case 4:
      return post('/v1/pets', JSON.stringify({ name: tag, categoryId: 7, status: 'sold' }));
    case 5:
      return get(
        `/graphql?query=${encodeURIComponent(query)}&variables=${encodeURIComponent(given)}`,
        eitherMediaType(random),
      );
    case 6:
      return get(random.pick(['/', '/v1', '/v1/openapi.json', '/schema.graphql', '/nowhere']));
    default:
      return post(
        '/graphql',
        JSON.stringify({ query, variables: JSON.parse(given) as unknown }),
        eitherMediaType(random),
      );
  }
}

/** Of a request to `/graphql`: its response has other statuses by the media type that has to be asked for. */
export function eitherMediaType(random: Random): Headers {
  return random.chance(0.5) ? [['Accept', 'application/graphql-response+json']] : [];
}

export function get(target: string, more: Headers = []): WireRequest {
  return { method: 'GET', target, headers: [...HEADERS, ...more], body: Buffer.alloc(0) };
}

export function post(target: string, body: string | Buffer, more: Headers = []): WireRequest {
  const bytes = Buffer.from(body);
  return {
    method: 'POST',
    target,
    headers: [
      ...HEADERS,
      ['Content-Type', 'application/json'],
      ['Content-Length', String(bytes.length)],
      ...more,
    ],
    body: bytes,
  };
}
