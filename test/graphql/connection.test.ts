import { expect, test } from 'vitest';
import { startGateway } from '../support/gateway.ts';

const { post, graphql } = await startGateway();

/** Adds animals of a status; tells their ids. */
async function addAnimals(count: number, status: string): Promise<string[]> {
  const ids: string[] = [];
  for (let number = 1; number <= count; number += 1) {
    const { text } = await post('/v1/pets', { name: `Animal ${number}`, categoryId: 7, status });
    ids.push(/"id":(\d+)/.exec(text)?.[1] ?? '');
  }
  return ids;
}

/** An animal of addAnimals, as GraphQL tells it. */
function pending(id = '') {
  const name: unknown = expect.any(String);
  return { id, name, categoryId: '7', status: 'pending' };
}

test('a page has its animals, each with its cursor, and says whether there is more', async () => {
  const [first, second] = await addAnimals(3, 'pending');
  const { json } = await graphql(`
    {
      petsConnection(status: pending, limit: 2) {
        nodes {
          id
          name
          categoryId
          status
        }
        edges {
          cursor
          node {
            id
          }
        }
        pageInfo {
          hasNextPage
          endCursor
        }
      }
    }
  `);
  expect(json).toEqual({
    data: {
      petsConnection: {
        nodes: [pending(first), pending(second)],
        edges: [
          { cursor: first, node: { id: first } },
          { cursor: second, node: { id: second } },
        ],
        pageInfo: { hasNextPage: true, endCursor: second },
      },
    },
  });
});

test('the last page has no next one, also when it is full', async () => {
  const ids = await addAnimals(2, 'sold');
  const after = BigInt(ids[0] ?? '') - 1n;
  for (const [limit, hasNextPage, endCursor] of [
    [1, true, ids[0]],
    [2, false, ids[1]],
    [3, false, ids[1]],
  ]) {
    const { json } = await graphql(
      `{ petsConnection(after: "${after}", limit: ${String(limit)}) { pageInfo { hasNextPage endCursor } } }`,
    );
    expect(json).toEqual({ data: { petsConnection: { pageInfo: { hasNextPage, endCursor } } } });
  }
});

test('an empty page has no end', async () => {
  const { text } = await graphql(
    '{ petsConnection(after: "9223372036854775807") { nodes { id } pageInfo { hasNextPage endCursor } } }',
  );
  expect(text).toBe(
    '{"data":{"petsConnection":{"nodes":[],"pageInfo":{"hasNextPage":false,"endCursor":null}}}}',
  );
});

test('a page and the plain list are the same animals, 20 of them by default', async () => {
  await addAnimals(21, 'available');
  const { json } = await graphql(
    '{ petsConnection(status: available) { nodes { id name } } pets(status: available) { id name } }',
  );
  expect(json).toMatchObject({ data: { pets: { length: 20 } } });
  const [, nodes, pets] = /"nodes":(\[.*?\])\},"pets":(\[.*\])/.exec(JSON.stringify(json)) ?? [];
  expect(nodes).toBe(pets);
});

test.each([
  ['limit: 0', 'limit must be an integer between 1 and 100'],
  ['limit: 101', 'limit must be an integer between 1 and 100'],
  ['after: "x"', 'after must be an integer between -9223372036854775808 and 9223372036854775807'],
])('petsConnection(%s) is refused as it is by pets', async (argument, message) => {
  for (const query of [
    `{ petsConnection(${argument}) { nodes { id } } }`,
    `{ pets(${argument}) { id } }`,
  ]) {
    const { json } = await graphql(query);
    expect(json).toMatchObject({
      errors: [{ message, extensions: { code: 'BAD_USER_INPUT', status: 400 } }],
    });
  }
});
