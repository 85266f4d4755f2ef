import { describe, expect, test } from 'vitest';
import { changesOf, idIn } from '../support/pet-changes.ts';
import { startGateway } from '../support/gateway.ts';
import { linksOf } from '../support/links.ts';

const gateway = await startGateway();
const { request } = gateway;
const { newPet, patch, remove } = changesOf(gateway);

interface Page {
  readonly ids: readonly string[];
  /** Where the next one begins. */
  readonly next: string | undefined;
}

/** Animals in the order of their ids, page by page, of a status. */
type FindPage = (status: string | undefined, after: string | undefined) => Promise<Page>;

const LIMIT = 3;

const idsIn = (text: string) => Array.from(text.matchAll(/"id":"?(\d+)/g), ([, id = '']) => id);

const SURFACES: readonly (readonly [string, FindPage])[] = [
  [
    'Link of the list',
    async (status, after) => {
      const parameters = new URLSearchParams({
        limit: String(LIMIT),
        ...(status && { status }),
        ...(after && { after }),
      });
      const answer = await request(`/v1/pets?${parameters.toString()}`);
      const next = linksOf(answer).get('next');
      return {
        ids: idsIn(answer.text),
        next: next && (new URL(next, gateway.url).searchParams.get('after') ?? undefined),
      };
    },
  ],
  [
    'cursor of the connection',
    async (status, after) => {
      const { text } = await gateway.graphql(
        `query ($status: PetStatus, $after: ID) {
          petsConnection(first: ${LIMIT}, status: $status, after: $after) {
            nodes { id } pageInfo { hasNextPage endCursor }
          }
        }`,
        { ...(status && { status }), ...(after && { after }) },
      );
      const next = /"endCursor":"([^"]+)"/.exec(text)?.[1];
      return { ids: idsIn(text), next: text.includes('"hasNextPage":true') ? next : undefined };
    },
  ],
];

/** The ids of all pages, with something done between any two. */
async function follow(
  findPage: FindPage,
  status: string | undefined,
  after: string | undefined,
  between: (ids: readonly string[]) => Promise<unknown>,
): Promise<string[]> {
  const { ids, next } = await findPage(status, after);
  if (next === undefined) {
    return [...ids];
  }
  await between(ids);
  return [...ids, ...(await follow(findPage, status, next, between))];
}

const lastOf = (ids: readonly string[]) => `/v1/pets/${ids.at(-1) ?? ''}`;

async function addPets(count: number): Promise<string[]> {
  const paths: string[] = [];
  for (let added = 0; added < count; added += 1) {
    paths.push(await newPet());
  }
  return paths;
}

describe.each(SURFACES)('by the %s', (_surface, findPage) => {
  test.each([undefined, 'available'])(
    'pages of status %s show each animal that stands still once, while others change, come and go',
    async (status) => {
      const paths = await addPets(15);
      const still = paths.filter((_path, index) => index % 3 === 0);
      const moving = paths.filter((path) => !still.includes(path));
      let round = 0;
      const disturb = async (): Promise<void> => {
        const [changed = '', removed = ''] = moving.splice(round % 2 === 0 ? 0 : -2, 2);
        round += 1;
        if (changed !== '') await patch(changed, '{"status":"sold"}');
        if (removed !== '') await remove(removed);
        if (round < 4) await newPet();
      };
      const before = String(BigInt(idIn(paths[0] ?? '')) - 1n);
      const visited = await follow(findPage, status, before, disturb);
      expect(round).toBeGreaterThan(3);
      expect(visited).toEqual([...new Set(visited)]);
      expect(visited.filter((id) => still.some((path) => idIn(path) === id))).toEqual(
        still.map(idIn),
      );
    },
  );

  test('where a removed animal, or one of another status, ended a page, the next goes on', async () => {
    const paths = await addPets(3 * LIMIT);
    const before = String(BigInt(idIn(paths[0] ?? '')) - 1n);
    const ends = [
      (ids: readonly string[]) => remove(lastOf(ids)),
      (ids: readonly string[]) => patch(lastOf(ids), '{"status":"sold"}'),
    ];
    const visited = await follow(findPage, 'available', before, async (ids) => {
      expect([200, 204]).toContain((await ends.shift()?.(ids))?.status);
    });
    expect(visited).toEqual(paths.map(idIn));
    expect(ends).toEqual([]);
  });
});
