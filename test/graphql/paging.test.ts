import { expect, test } from 'vitest';
import { startGateway, type Gateway } from '../support/gateway.ts';

const STATUSES = ['available', 'pending', 'sold'] as const;
const PAGE = `query($status: PetStatus, $limit: Int, $after: ID) {
  pets(status: $status, limit: $limit, after: $after) { id }
}`;

/** Adds animals of each status in turn, and tells their ids. */
async function add({ post }: Gateway, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let categoryId = 0; categoryId < count; categoryId += 1) {
    const status = STATUSES[categoryId % STATUSES.length];
    const { text } = await post('/v1/pets', { name: 'Rex', categoryId, status });
    ids.push(/"id":(\d+)/.exec(text)?.[1] ?? '');
  }
  return ids;
}

/** Reads page after page until one isn't full, or far too many are; `between` runs after each. */
async function visit(
  { graphql }: Gateway,
  variables: { readonly limit: number; readonly status?: string },
  between: () => Promise<unknown> = async () => {},
): Promise<string[]> {
  const seen: string[] = [];
  for (let pages = 0; pages < 100; pages += 1) {
    const { text } = await graphql(PAGE, { ...variables, after: seen.at(-1) });
    const page = Array.from(text.matchAll(/"id":"(\d+)"/g), ([, id = '']) => id);
    seen.push(...page);
    if (page.length < variables.limit) {
      break;
    }
    await between();
  }
  return seen;
}

const store = await startGateway();
const ids = await add(store, 60);
// A row that was rewritten lies behind the others, so that only sorting brings it to its place.
await store.database.pet.updateMany({ where: { id: { lte: 9 } }, data: { name: 'Ada' } });

test.each([1, 2, 7, 20, 59, 60, 100])(
  'going on after the last of each page of %i visits every animal once, in the order of ids',
  async (limit) => {
    expect(await visit(store, { limit })).toEqual(ids);
  },
);

test.each(STATUSES)('the same goes for those that are %s', async (status) => {
  const matching = ids.filter((_id, index) => STATUSES[index % STATUSES.length] === status);
  expect(await visit(store, { limit: 7, status })).toEqual(matching);
  expect(await visit(store, { limit: 20, status })).toEqual(matching);
});

test('animals that are added meanwhile are visited as well, and none twice', async () => {
  const growing = await startGateway();
  const added = await add(growing, 10);
  let pages = 0;
  const seen = await visit(growing, { limit: 3 }, async () => {
    pages += 1;
    added.push(...(await add(growing, pages < 8 ? 2 : 0)));
  });
  expect(added.length).toBe(24);
  expect(seen).toEqual(added);
});

test('an id that is no longer an animal is as good a place to go on from as any', async () => {
  const { database, graphql } = await startGateway();
  await database.pet.createMany({
    data: [5n, 10n].map((id) => ({ id, name: 'Rex', categoryId: 1n, status: 'sold' })),
  });
  const { text } = await graphql(
    '{ a: pets(after: -1) { id } b: pets(after: 7) { id } c: pets(after: 10) { id } }',
  );
  expect(text).toBe('{"data":{"a":[{"id":"5"},{"id":"10"}],"b":[{"id":"10"}],"c":[]}}');
});
