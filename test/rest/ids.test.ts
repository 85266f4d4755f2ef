import { expect, test } from 'vitest';
import { idOf } from '../support/filled-stores.ts';
import { startGateway } from '../support/gateway.ts';
import { linkOf } from '../support/links.ts';

/* Lists of animals with some ids, on both surfaces. */

const { request, post, graphql } = await startGateway();

const [one, two, three] = await Promise.all(
  ['available', 'sold', 'sold'].map(async (status) =>
    BigInt(String(idOf(await post('/v1/pets', { name: status, categoryId: 7, status })))),
  ),
);
const sorted = [one, two, three]
  .filter((id) => id !== undefined)
  .toSorted((a, b) => (a < b ? -1 : 1));

function idsIn(text: string): bigint[] {
  return Array.from(text.matchAll(/"id":"?(\d+)/g), ([, id]) => BigInt(id ?? ''));
}

test.each([
  ['with commas', sorted.toReversed().join(',')],
  ['repeated', sorted.join('&id=')],
  ['twice, and beside unknown ones', `${sorted.join(',')},${sorted.join(',')},9223372036854775807`],
])('?id= %s has each animal once, in the order of ids', async (_how, ids) => {
  const { status, text } = await request(`/v1/pets?id=${ids}`);
  expect([status, idsIn(text)]).toEqual([200, sorted]);
});

test('pages, and another filter, work on them as on all', async () => {
  const path = `/v1/pets?id=${sorted.join(',')}`;
  const first = await request(`${path}&limit=2`);
  expect(idsIn(first.text)).toEqual(sorted.slice(0, 2));
  const next = await request(linkOf(first, 'next', path) ?? '');
  expect(idsIn(next.text)).toEqual(sorted.slice(2));
  const sold = await request(`${path}&status=sold`);
  expect(idsIn(sold.text)).toEqual(sorted.filter((id) => id !== one));
});

test('GraphQL lists them, and pages through them in both directions', async () => {
  const ids = sorted.map(String);
  const listed = await graphql('query ($ids: [ID!]) { pets(ids: $ids) { id } }', { ids });
  expect(idsIn(listed.text)).toEqual(sorted);
  const last = await graphql(
    'query ($ids: [ID!]) { petsConnection(ids: $ids, last: 2) { nodes { id } pageInfo { hasPreviousPage } } }',
    { ids },
  );
  expect(idsIn(last.text)).toEqual(sorted.slice(1));
  expect(last.text).toContain('"hasPreviousPage":true');
});

test.each([
  ['', 'id must be'],
  ['x', 'id must be an integer'],
  ['9223372036854775808', 'id must be an integer'],
  [Array.from({ length: 101 }, (_none, n) => n).join(','), 'id must be a list of 1 to 100 items'],
])('?id=%s is refused', async (ids, message) => {
  const { status, text } = await request(`/v1/pets?id=${ids}`);
  expect([status, text]).toEqual([400, expect.stringContaining(message)]);
});

test('no ids at all are refused in GraphQL', async () => {
  expect((await graphql('{ pets(ids: []) { id } }')).json).toMatchObject({
    errors: [{ extensions: { code: 'BAD_USER_INPUT' } }],
  });
});
