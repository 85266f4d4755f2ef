import { describe, expect, test } from 'vitest';
import { PetStatus } from '../../prisma/generated/enums.ts';
import { startGateway, type Answer, type Gateway } from '../support/gateway.ts';
import { linksOf } from '../support/links.ts';
import { changesOf, idIn } from '../support/pet-changes.ts';

/* Pages ordered by id, in both APIs, even while rows change. library-lists.test.ts compares pages in any order with SQL. */

interface Asked {
  readonly limit?: number | undefined;
  readonly status?: string | undefined;
  readonly after?: string | undefined;
  readonly ids?: readonly string[];
}

interface Surface {
  readonly name: string;
  readonly ask: (gateway: Gateway, asked: Asked) => Promise<Answer>;
  /** The cursor for the page after this one. */
  readonly next: (answer: Answer, asked: Asked) => string | undefined;
}

const idsIn = ({ text }: Answer) =>
  Array.from(text.matchAll(/"id":"?(-?\d+)/g), ([, id = '']) => id);

const byGraphQL =
  (field: string) =>
  ({ graphql }: Gateway, asked: Asked) =>
    graphql(
      `query ($status: PetStatus, $limit: Int, $after: ID, $ids: [ID!]) {
        ${field.replace('(', '(status: $status, limit: $limit, after: $after, ids: $ids')}
      }`,
      { ...asked },
    );

const SURFACES: readonly Surface[] = [
  {
    name: 'REST, by Link',
    ask: ({ request }, { ids, ...asked }) => {
      const given = Object.entries({ ...asked, ...(ids && { id: ids.join(',') }) });
      const parameters = given.flatMap(([name, value]) =>
        value === undefined ? [] : [[name, String(value)]],
      );
      return request(`/v1/pets?${new URLSearchParams(parameters).toString()}`);
    },
    next: (answer) => {
      const next = linksOf(answer).get('next');
      return next && (new URL(next, 'http://localhost').searchParams.get('after') ?? undefined);
    },
  },
  {
    name: 'a GraphQL list, by its last id',
    ask: byGraphQL('pets() { id }'),
    next: (answer, { limit = 20 }) => {
      const ids = idsIn(answer);
      return ids.length < limit ? undefined : ids.at(-1);
    },
  },
  {
    name: 'a GraphQL connection, by its cursor',
    ask: byGraphQL('petsConnection() { nodes { id } pageInfo { hasNextPage endCursor } }'),
    next: ({ text }) =>
      text.includes('"hasNextPage":true') ? /"endCursor":"([^"]+)"/.exec(text)?.[1] : undefined,
  },
];

/** Reads page after page; calls `between` after each page but the last. */
async function follow(
  { ask, next }: Surface,
  gateway: Gateway,
  asked: Asked,
  between: () => Promise<unknown> = async () => {},
): Promise<{ ids: string[]; pages: number }> {
  const ids: string[] = [];
  let after = asked.after;
  for (let pages = 1; pages < 100; pages += 1) {
    const answer = await ask(gateway, { ...asked, after });
    ids.push(...idsIn(answer));
    after = next(answer, asked);
    if (after === undefined) {
      return { ids, pages };
    }
    await between();
  }
  throw new Error('the pages have no end');
}

const STATUSES = Object.values(PetStatus);

/** An animal that the test keeps in memory. */
interface StoredPet {
  readonly id: bigint;
  readonly status: string;
}

const store = await startGateway();
const stored: StoredPet[] = Array.from({ length: 60 }, (_none, index) => ({
  // Adjacent ids that are equal as doubles.
  id: 2n ** 62n + BigInt(index),
  status: STATUSES[index % STATUSES.length] ?? 'sold',
}));
for (const { id, status } of stored) {
  await store.database.$executeRaw`
    INSERT INTO pets (id, name, category_id, status) VALUES (${id}, 'Rex', 1, ${status}::pet_status)`;
}
const idsOf = (pets: readonly StoredPet[]) => pets.map(({ id }) => String(id));
const [first, second, third, ...others] = idsOf(stored);
// Updated rows are stored after the others, so only sorting puts them in order.
await store.database.pet.updateMany({
  where: { id: { lte: 2n ** 62n + 9n } },
  data: { name: 'Ada' },
});

const changing = await startGateway();
const { newPet, patch, remove } = changesOf(changing);

const SOLD = '{"status":"sold"}';

/** Adds animals and returns their paths. */
async function addPets(count: number): Promise<string[]> {
  const paths: string[] = [];
  for (let added = 0; added < count; added += 1) {
    paths.push(await newPet());
  }
  return paths;
}

const beforeFirst = (paths: readonly string[]) => String(BigInt(idIn(paths[0] ?? '')) - 1n);

describe.each(SURFACES)('$name', (surface) => {
  test.each<Asked>([
    ...[1, 2, 7, undefined, 59, 60, 100].map((limit) => ({ limit })),
    ...STATUSES.map((status) => ({ limit: 7, status })),
    { after: '-1', limit: 7 },
    { after: '9223372036854775807' },
  ])(
    'pages for %j contain all rows once, ordered by id, with 20 rows by default',
    async (asked) => {
      const { limit = 20, status, after = '0' } = asked;
      const matching = stored.filter(
        (pet) => pet.status === (status ?? pet.status) && pet.id > BigInt(after),
      );
      const { ids, pages } = await follow(surface, store, asked);
      expect(ids).toEqual(idsOf(matching));
      const full = matching.length / limit;
      // By length alone, a client cannot tell that a full page was the last.
      const isByLength = surface.name.includes('last id');
      expect(pages).toBe(isByLength ? Math.floor(full) + 1 : Math.max(1, Math.ceil(full)));
    },
  );

  test('pages for given ids contain each row once, ordered by id', async () => {
    const ids = [third, first, second, first, '9223372036854775807'].map(String);
    const all = await follow(surface, store, { limit: 2, ids });
    expect(all.ids).toEqual([first, second, third]);
    const status = stored[1]?.status;
    expect((await follow(surface, store, { ids, status })).ids).toEqual([second]);
  });

  test.each(['', 'x', '1.5', '9223372036854775808'])(
    'an invalid cursor is rejected: after=%j',
    async (after) => {
      const { json, headers } = await surface.ask(store, { after });
      const message =
        'after must be an integer between -9223372036854775808 and 9223372036854775807';
      const refusal = { code: 'BAD_USER_INPUT', status: 400 };
      expect(json).toMatchObject(
        surface.name.startsWith('REST')
          ? { ...refusal, message }
          : { errors: [{ message, extensions: refusal }] },
      );
      expect(headers.has('Link')).toBe(false);
    },
  );

  test.each([undefined, 'available'])(
    'pages for status %s show each unchanged animal once while others change, even the last animal on a page',
    async (status) => {
      const paths = await addPets(15);
      const added: string[] = [];
      const statuses: number[] = [];
      const sell = async (path = '') => statuses.push((await patch(path, SOLD)).status);
      const drop = async (path = '') => statuses.push((await remove(path)).status);
      const disturbances = [
        () => Promise.all([drop(paths[2]), sell(paths[14])]),
        () => Promise.all([sell(paths[5]), drop(paths[13])]),
        () => drop(paths[8]),
        () => sell(paths[11]),
      ];
      const asked = { limit: 3, status, after: beforeFirst(paths) };
      const { ids: visited } = await follow(surface, changing, asked, async () => {
        const disturb = disturbances.shift();
        if (disturb !== undefined) added.push(await newPet());
        await disturb?.();
      });
      expect(statuses.toSorted((one, other) => one - other)).toEqual([
        200, 200, 200, 204, 204, 204,
      ]);
      expect(visited).toEqual([...new Set(visited)]);
      const still = paths.filter((_path, index) => index % 3 === 0);
      expect(visited.filter((id) => still.some((path) => idIn(path) === id))).toEqual(
        still.map(idIn),
      );
      expect(visited).toEqual(expect.arrayContaining(added.map(idIn)));
    },
  );
});

test.each([
  [
    '?status=pending&limit=2&color=red',
    `<?status=pending&limit=2>; rel="first", <?status=pending&limit=2&after=${others[1]}>; rel="next"`,
  ],
  ['?after=9223372036854775807', '<pets>; rel="first"'],
  ['?limit=1&after=9223372036854775807', '<?limit=1>; rel="first"'],
])('the URLs in the Link header of /v1/pets%s have no unknown parameters', async (query, link) => {
  expect((await store.request(`/v1/pets${query}`)).headers.get('Link')).toBe(link);
});

test.each([
  [`?id=${third}&id=${first}&limit=5`, 200, `"id":${first}`],
  ['?id=', 400, 'id must be'],
  ['?id=x', 400, 'id must be an integer'],
  ['?id=9223372036854775808', 400, 'id must be an integer'],
  [`?id=${Array(101).fill('1').join()}`, 400, 'id must be a list of 1 to 100 items'],
  ['?after=1&after=2', 400, 'after must be'],
])('/v1/pets%s returns %i: %s', async (query, status, part) => {
  const answer = await store.request(`/v1/pets${query}`);
  expect([answer.status, answer.text]).toEqual([status, expect.stringContaining(part)]);
});

// The GraphQL Cursor Connections Specification: https://relay.dev/graphql/connections.htm

const CURSOR = 'must be an integer between -9223372036854775808 and 9223372036854775807';

test.each([
  ['first: 1, last: 1', 'last must not be combined with first'],
  ['first: 1, limit: 1', 'limit must not be combined with first'],
  ['last: 0, limit: 1', 'limit must not be combined with last'],
  ['limit: 0', 'limit must be an integer between 1 and 100'],
  ['limit: 101', 'limit must be an integer between 1 and 100'],
  ['first: -1', 'first must be an integer between 0 and 100'],
  ['last: -1', 'last must be an integer between 0 and 100'],
  ['first: 101', 'first must be an integer between 0 and 100'],
  ['last: 101', 'last must be an integer between 0 and 100'],
  ['last: 1, before: "b2Zmc2V0OjE="', `before ${CURSOR}`],
  ['before: 9223372036854775808', `before ${CURSOR}`],
  ['last: 1.5', 'Int cannot represent non-integer value: 1.5'],
  ['ids: []', 'ids must be a list of 1 to 100 items'],
])('petsConnection(%s) fails: %s', async (args, message) => {
  const { json } = await store.graphql(`{ petsConnection(${args}) { nodes { id } } }`);
  expect(json).toMatchObject({
    errors: [{ message: expect.stringContaining(message) as unknown, extensions: { status: 400 } }],
  });
});

test('each page size that is combined with first is reported as a separate fault', async () => {
  const { json } = await store.graphql(
    '{ petsConnection(limit: 1, last: 1, first: 1) { nodes { id } } }',
  );
  const faults = ['last', 'limit'].map((name) => ({
    path: [name],
    message: `${name} must not be combined with first`,
  }));
  expect(json).toMatchObject({ errors: [{ extensions: { code: 'BAD_USER_INPUT', faults } }] });
});
