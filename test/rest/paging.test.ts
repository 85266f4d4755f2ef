import { expect, test } from 'vitest';
import { startGateway, type Answer } from '../support/gateway.ts';
import { linksOf } from '../support/links.ts';

const { url, request, post } = await startGateway();

/** Adds animals of a category of this test's own, one after the other; tells their ids. */
async function addAnimals(count: number, status: string): Promise<number[]> {
  const ids: number[] = [];
  for (let number = 1; number <= count; number += 1) {
    const { text } = await post('/v1/pets', { name: `Animal ${number}`, categoryId: 1, status });
    ids.push(Number(/"id":(\d+)/.exec(text)?.[1]));
  }
  return ids;
}

function idsOf({ text }: Answer): number[] {
  return Array.from(text.matchAll(/"id":(\d+)/g), ([, id]) => Number(id));
}

/** The ids of every page from `path` on, following rel="next" as a client would. */
async function follow(path: string, betweenPages = async () => {}): Promise<number[]> {
  const answer = await request(path);
  const next = linksOf(answer).get('next');
  if (next === undefined) {
    return idsOf(answer);
  }
  await betweenPages();
  const target = new URL(next, url + path);
  return [...idsOf(answer), ...(await follow(target.pathname + target.search, betweenPages))];
}

test('Link leads to the first page and to the next one, with the filter and limit that were sent', async () => {
  const [, second] = await addAnimals(3, 'pending');
  const { headers, text } = await request('/v1/pets?status=pending&limit=2&color=red');
  expect(headers.get('Link')).toBe(
    `<?status=pending&limit=2>; rel="first", <?status=pending&limit=2&after=${second}>; rel="next"`,
  );
  expect(text).toMatch(/^\[\{.*\}\]$/);
});

test('the last page has no next, also when it is full', async () => {
  const ids = await addAnimals(4, 'sold');
  const path = `/v1/pets?after=${(ids[0] ?? 0) - 1}&status=sold`;
  for (const [limit, hasNext] of [
    [3, true],
    [4, false],
    [5, false],
  ]) {
    expect(linksOf(await request(`${path}&limit=${limit}`)).has('next')).toBe(hasNext);
  }
});

test('without filter and limit, first is the bare address', async () => {
  const { headers } = await request('/v1/pets?after=9223372036854775807');
  expect(headers.get('Link')).toBe('<pets>; rel="first"');
});

test('a page behind the end is empty, and has a first page', async () => {
  const { headers, text } = await request('/v1/pets?limit=1&after=9223372036854775807');
  expect([text, headers.get('Link')]).toEqual(['[]', '<?limit=1>; rel="first"']);
});

test('following next visits every animal once, in order, whatever the limit', async () => {
  const ids = await addAnimals(12, 'available');
  for (const limit of [1, 5, 12, 100]) {
    const visited = await follow(`/v1/pets?status=available&limit=${limit}`);
    expect(visited).toEqual(visited.toSorted((a, b) => a - b));
    expect(visited.filter((id) => ids.includes(id))).toEqual(ids);
    expect(new Set(visited).size).toBe(visited.length);
  }
});

test('following next visits every animal once while others are being added', async () => {
  const ids = await addAnimals(6, 'pending');
  const added: number[] = [];
  const visited = await follow('/v1/pets?status=pending&limit=2', async () => {
    if (added.length < 5) {
      added.push(...(await addAnimals(1, 'pending')));
    }
  });
  expect(visited.filter((id) => ids.includes(id))).toEqual(ids);
  expect(visited.filter((id) => added.includes(id))).toEqual(added);
  expect(new Set(visited).size).toBe(visited.length);
});

test.each(['', 'x', '1.5', '9223372036854775808'])('after=%s is refused', async (after) => {
  const { status, json, headers } = await request(`/v1/pets?after=${after}`);
  expect([status, json]).toEqual([
    400,
    {
      code: 'BAD_USER_INPUT',
      message: 'after must be an integer between -9223372036854775808 and 9223372036854775807',
      status: 400,
    },
  ]);
  expect(headers.has('Link')).toBe(false);
});

test('a repeated after is refused', async () => {
  expect((await request('/v1/pets?after=1&after=2')).status).toBe(400);
});

test('HEAD has the links of GET', async () => {
  await addAnimals(2, 'sold');
  const { headers } = await request('/v1/pets?status=sold&limit=1', { method: 'HEAD' });
  expect([...linksOf({ headers }).keys()]).toEqual(['first', 'next']);
});
