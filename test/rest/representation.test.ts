import { isJsonObject } from '@store-gateway/ops';
import { expect, test } from 'vitest';
import { restAnimal } from '../support/animals.ts';
import { startGateway } from '../support/gateway.ts';

const { request, database } = await startGateway();

/** The Basic Multilingual Plane without NUL and surrogates, split into names of the maximum length. */
const plane = Array.from({ length: 0xffff }, (_, index) => index + 1)
  .filter((code) => code < 0xd800 || code > 0xdfff)
  .map((code) => String.fromCodePoint(code));
const names = [
  ...Array.from({ length: Math.ceil(plane.length / 255) }, (_, index) =>
    plane.slice(index * 255, (index + 1) * 255).join(''),
  ),
  ...plane.slice(0, 128),
  // Texts that look like JSON syntax or like other members.
  ...'\\" \\u0000 ","id":"1 "},{"id":1 [] {} null é 😀 👩🏽‍🚀 \u{10ffff} __proto__ id'.split(' '),
];
const animals = names.map((name, index) => ({ id: BigInt(index + 1), name, categoryId: 1n }));
await database.pet.createMany({
  data: animals.map((animal) => ({ ...animal, status: 'available' })),
});

test.each(Array.from({ length: Math.ceil(names.length / 100) }, (_, page) => page * 100))(
  'every character is returned unchanged in a list after %i animals',
  async (after) => {
    const { status, text } = await request(`/v1/pets?limit=100&after=${after}`);
    const listed = animals.slice(after, after + 100);
    expect([status, text]).toEqual([200, `[${listed.map(restAnimal).join(',')}]`]);
    const read: readonly unknown[] = [JSON.parse(text)].flat();
    const namesRead = read.filter(isJsonObject).map((animal) => animal['name']);
    expect(namesRead).toEqual(listed.map(({ name }) => name));
  },
);
