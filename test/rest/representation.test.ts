import { array, assert, asyncProperty, constantFrom, oneof, string } from 'fast-check';
import { anyCharacter } from '../support/any-character.ts';
import { expect, test } from 'vitest';
import { isJsonObject } from '@store-gateway/ops';
import { restAnimal } from '../support/animals.ts';
import { errorBody } from '../support/error-body.ts';
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

/** Adds up to 100 animals of these names, and tells their names as they stand in the list, which has just these. */
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

/** All of Unicode's first plane, but NUL and surrogates, in names that are as long as they may be. */
const plane = Array.from({ length: 0xffff }, (_, index) => index + 1)
  .filter((code) => code < 0xd800 || code > 0xdfff)
  .map((code) => String.fromCodePoint(code));
const names = Array.from({ length: Math.ceil(plane.length / 255) }, (_, index) =>
  plane.slice(index * 255, (index + 1) * 255).join(''),
);

test.each([0, 100, 200])(
  'every character comes out of a list as it went in: names from %i',
  async (from) => {
    const some = names.slice(from, from + 100);
    expect(await listed(some)).toEqual(some);
  },
);

test('each character of ASCII alone comes out of a list as it went in', async () => {
  expect(await listed(plane.slice(0, 64))).toEqual(plane.slice(0, 64));
  expect(await listed(plane.slice(64, 127))).toEqual(plane.slice(64, 127));
});

test('names that look like JSON, and like other members, are names', async () => {
  const misleading = [
    '"',
    '\\',
    '\\"',
    '\\u0000',
    '","id":"1',
    '"},{"id":1',
    ']',
    '[]',
    '{}',
    'null',
    '1',
    ' ',
    '\n',
    '\u2028',
    '\u2029',
    '\u007f',
    '\u0080',
    'é',
    '😀',
    '👩🏽‍🚀',
    '\u{10ffff}',
    '__proto__',
    'id',
  ];
  expect(await listed(misleading)).toEqual(misleading);
});

test('200 names of any characters come out of lists as they went in', async () => {
  const piece = oneof(
    string({ unit: anyCharacter, minLength: 1, maxLength: 3 }),
    constantFrom('"', '\\', '\u001f', '\u2028', '😀', 'a'),
  );
  const name = array(piece, { minLength: 1, maxLength: 80, size: 'max' })
    .map((pieces) => pieces.join('').replaceAll('\0', ''))
    .filter((text) => text !== '');
  await assert(
    asyncProperty(array(name, { minLength: 100, maxLength: 100, size: 'max' }), async (some) => {
      expect(await listed(some)).toEqual(some);
    }),
    { seed: 20_301_205, numRuns: 2 },
  );
});

test.each(['\\ud800', 'a\\udc00b', '\\udc00\\ud800', '😀\\ud83d'])(
  'a name with a lone surrogate, %s, is refused, and in no list',
  async (name) => {
    const { id } = await add('before');
    const { status, text } = await post('/v1/pets', `{"name":"${name}","categoryId":1}`);
    const message =
      'name must be a string of 1 to 255 characters, without NUL or unpaired surrogates';
    expect([status, text]).toEqual([400, errorBody(400, 'BAD_USER_INPUT', message)]);
    const list = await request(`/v1/pets?after=${id}`);
    expect([list.status, list.text]).toEqual([200, '[]']);
  },
);
