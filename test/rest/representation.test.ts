import { expect, test } from 'vitest';
import { isJsonObject } from '@store-gateway/ops';
import { restAnimal } from '../support/animals.ts';
import { startGateway } from '../support/gateway.ts';

const { request, post } = await startGateway();

interface Added {
  readonly id: string;
  readonly name: string;
  readonly categoryId: string;
}

let categories = 2n ** 53n;

async function add(name: string): Promise<Added> {
  categories += 1n;
  const categoryId = String(categories);
  const { status, text } = await post(
    '/v1/pets',
    `{"name":${JSON.stringify(name)},"categoryId":${categoryId}}`,
  );
  const id = /^\{"id":(?<id>\d+),/.exec(text)?.groups?.['id'] ?? '';
  expect([status, text]).toEqual([201, restAnimal({ id, name, categoryId })]);
  return { id, name, categoryId };
}

/** Adds up to 100 animals, and returns their names as the list with just these animals has them. */
async function listed(names: readonly string[]): Promise<string[]> {
  const animals = await Promise.all(names.map(add));
  animals.sort((one, other) => Number(one.id) - Number(other.id));
  const after = BigInt(animals[0]?.id ?? 0) - 1n;
  const { status, text } = await request(`/v1/pets?limit=100&after=${after}`);
  expect([status, text]).toEqual([200, `[${animals.map(restAnimal).join(',')}]`]);
  const read: readonly unknown[] = [JSON.parse(text)].flat();
  const namesRead = new Map(
    read
      .filter(isJsonObject)
      .map((animal, index) => [animals[index]?.name, String(animal['name'])]),
  );
  return names.map((name) => namesRead.get(name) ?? 'not in the list');
}

/** Unicode's first plane without NUL and surrogates, in names of the maximum length. */
const plane = Array.from({ length: 0xffff }, (_, index) => index + 1)
  .filter((code) => code < 0xd800 || code > 0xdfff)
  .map((code) => String.fromCodePoint(code));
const names = Array.from({ length: Math.ceil(plane.length / 255) }, (_, index) =>
  plane.slice(index * 255, (index + 1) * 255).join(''),
);

test.each([0, 100, 200])(
  'every character is returned unchanged in a list: names from %i',
  async (from) => {
    const some = names.slice(from, from + 100);
    expect(await listed(some)).toEqual(some);
  },
);

test.each([
  ['each character of ASCII', plane.slice(0, 100)],
  [
    'names that look like JSON or other members',
    [
      ...plane.slice(100, 128),
      ...'\\" \\u0000 ","id":"1 "},{"id":1 [] {} null \u2028 \u2029 é 😀 👩🏽‍🚀 \u{10ffff} __proto__ id'.split(
        ' ',
      ),
    ],
  ],
])('%s are returned unchanged in a list', async (_what, some) => {
  expect(await listed(some)).toEqual(some);
});
