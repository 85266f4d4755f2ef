// The GraphQL Cursor Connections Specification: https://relay.dev/graphql/connections.htm
import { buildSchema, isObjectType } from 'graphql';
import { expect, test } from 'vitest';
import { isJsonObject } from '@store-gateway/ops';
import {
  PAGE_FIELDS,
  pageBySpecification,
  type ConnectionArguments,
  type StoredPet,
} from '../support/connection-model.ts';
import { startGateway } from '../support/gateway.ts';

const { graphql, request, database } = await startGateway();

/** Next to each other, and the same as doubles. */
const IDS = Array.from({ length: 9 }, (_, index) => 2n ** 62n + BigInt(index)).map(String);
const STORED: readonly StoredPet[] = IDS.map((id, index) => ({
  id: BigInt(id),
  status: index % 3 === 0 ? 'available' : 'sold',
}));
for (const { id, status } of STORED) {
  await database.$executeRaw`
    INSERT INTO pets (id, name, category_id, status) VALUES (${id}, 'Rex', 1, ${status}::pet_status)`;
}

const PAGE = `query($status: PetStatus, $first: Int, $after: ID, $last: Int, $before: ID) {
  petsConnection(status: $status, first: $first, after: $after, last: $last, before: $before) {
    ${PAGE_FIELDS}
  }
}`;

async function pageFor(variables: ConnectionArguments): Promise<unknown> {
  const { json } = await graphql(PAGE, { ...variables });
  const data = isJsonObject(json) ? json['data'] : undefined;
  return isJsonObject(data) ? data['petsConnection'] : json;
}

// From outside of the list, at its ends, and within, at an animal that the filter leaves out and at one that it doesn't.
const CURSORS = [
  undefined,
  '-1',
  ...[0, 3, 4, 8].map((index) => IDS[index]),
  '9223372036854775807',
];

test.each<ConnectionArguments>(
  [0, 1, 2, 9, 100].flatMap((size) => [{ first: size }, { last: size }]),
)(
  'pages and their page info are those of the specification, between any cursors: %j',
  async (size) => {
    for (const filter of [{}, { status: 'sold' }] as const) {
      for (const after of CURSORS) {
        for (const before of CURSORS) {
          const cursors = { ...(after && { after }), ...(before && { before }) };
          const args = { ...filter, ...size, ...cursors };
          expect([args, await pageFor(args)]).toEqual([args, pageBySpecification(STORED, args)]);
        }
      }
    }
  },
);

test.each<[string, ConnectionArguments]>([
  ['limit: 2', { first: 2 }],
  [`limit: 2, after: "${IDS[2]}"`, { first: 2, after: IDS[2] }],
  [`limit: 2, before: "${IDS[7]}"`, { last: 2, before: IDS[7] }],
  [
    `limit: 2, after: "${IDS[2]}", before: "${IDS[7]}"`,
    { first: 2, after: IDS[2], before: IDS[7] },
  ],
  [`before: "${IDS[7]}"`, { last: 20, before: IDS[7] }],
  ['first: null, last: null, limit: null', { first: 20 }],
])('petsConnection(%s) is the page of %j', async (args, specified) => {
  const { json } = await graphql(`{ petsConnection(${args}) { nodes { id } } }`);
  const { nodes } = pageBySpecification(STORED, specified);
  expect(json).toEqual({ data: { petsConnection: { nodes } } });
});

const CURSOR = 'must be an integer between -9223372036854775808 and 9223372036854775807';

test.each([
  ['first: 1, last: 1', 'last must not be combined with first'],
  ['first: 1, limit: 1', 'limit must not be combined with first'],
  ['last: 0, limit: 1', 'limit must not be combined with last'],
  ['first: -1', 'first must be an integer between 0 and 100'],
  ['last: -1', 'last must be an integer between 0 and 100'],
  ['first: 101', 'first must be an integer between 0 and 100'],
  ['last: 101', 'last must be an integer between 0 and 100'],
  ['first: 1, after: ""', `after ${CURSOR}`],
  ['last: 1, before: "b2Zmc2V0OjE="', `before ${CURSOR}`],
  ['before: 9223372036854775808', `before ${CURSOR}`],
  ['last: 1.5', 'Int cannot represent non-integer value: 1.5'],
])('petsConnection(%s) is an error: %s', async (args, message) => {
  const { json } = await graphql(`{ petsConnection(${args}) { nodes { id } } }`);
  expect(json).toMatchObject({ errors: [{ message, extensions: { status: 400 } }] });
});

test('each size beside the first one is a fault of its own, for forms', async () => {
  const { json } = await graphql(
    '{ petsConnection(limit: 1, last: 1, first: 1) { nodes { id } } }',
  );
  const faults = ['last', 'limit'].map((name) => ({
    path: [name],
    message: `${name} must not be combined with first`,
  }));
  expect(json).toMatchObject({ errors: [{ extensions: { code: 'BAD_USER_INPUT', faults } }] });
});

test.each([
  ['PetConnection', { edges: '[PetEdge!]!', pageInfo: 'PageInfo!' }],
  // ID serializes as a string.
  ['PetEdge', { cursor: 'ID!', node: 'Pet!' }],
  [
    'PageInfo',
    { hasNextPage: 'Boolean!', hasPreviousPage: 'Boolean!', startCursor: 'ID', endCursor: 'ID' },
  ],
])('%s has the fields of the specification: %j', async (name, expected) => {
  const { text } = await request('/schema.graphql');
  const type = buildSchema(text).getType(name);
  const fields = isObjectType(type) ? Object.values(type.getFields()) : [];
  expect(Object.fromEntries(fields.map((field) => [field.name, String(field.type)]))).toMatchObject(
    expected,
  );
});
