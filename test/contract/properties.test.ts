import {
  assert,
  asyncProperty,
  bigInt,
  boolean,
  constantFrom,
  oneof,
  record,
  string,
} from 'fast-check';
import { expect, test } from 'vitest';
import { graphqlAnimal, restAnimal, WHOLE_ANIMAL } from '../support/animals.ts';
import { startGateway } from '../support/gateway.ts';
import { anyCharacter, propertyRuns } from '../support/property-runs.ts';

const { request, post, graphql, database } = await startGateway();
// Makes ids exceed the precision of a double.
await database.$executeRaw`ALTER SEQUENCE pets_id_seq RESTART WITH 9007199254740993`;

/** Characters that software easily trims, escapes, joins, composes or overlooks. */
const delicate = constantFrom(
  ...' |\t|\r\n|"|\\|\\u0000|/|&amp;|%00|${|\u0001|\u001f|\u007f|\u0085|\u00a0|\u00ad|\u0301'.split(
    '|',
  ),
  ...'\u200b|\u200d|\u202e|\u2028|\ufe0f|\ufeff|\ufffd|\ufffe|\uffff|\u{10ffff}'.split('|'),
  ...'İ|ß|ﬁ|A\u030a|\u1100\u1161|👩🏽‍🚀|🏳️‍🌈|\u{1f1e6}'.split('|'),
);
/** Names of 1 to 255 code points, except NUL and surrogates. */
const name = oneof(
  string({ unit: anyCharacter, minLength: 1, maxLength: 255, size: 'max' }),
  string({ unit: 'grapheme', minLength: 1, maxLength: 255, size: 'max' }),
  string({ unit: delicate, minLength: 1, maxLength: 80, size: 'max' }),
)
  .map((text) => Array.from(text.replaceAll('\0', '')).slice(0, 255).join(''))
  .filter((text) => text !== '');
/** Names that software easily changes. */
const NAMES = [
  'a',
  'a'.repeat(255),
  '🐈'.repeat(255),
  '  Rex \u00a0 ',
  ' \t\r\n',
  '\u00c5ke',
  'A\u030ake',
  '👩🏽‍🚀',
  '\ufeffRex\ufeff',
  '\u0001\u001b\u007f\u0085\u200f\u2028\ufffe\uffff',
  '\ufffd',
  `'";\\u0000 -- <b>&amp;%00`,
  '\u{10ffff}',
  '__proto__',
];
const int64 = bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const pet = record({
  name,
  categoryId: int64.map(String),
  status: constantFrom('available', 'pending', 'sold'),
});

const idIn = (text: string) => /"id":"?(?<id>\d+)/.exec(text)?.groups?.['id'] ?? '';

test('an animal created with REST is the same when read with GraphQL', async () => {
  await assert(
    asyncProperty(pet, async (animal) => {
      const added = await post('/v1/pets', restAnimal({ id: 0, ...animal }));
      const id = idIn(added.text);
      expect([added.status, added.text]).toEqual([201, restAnimal({ id, ...animal })]);
      const read = `query($id: ID!, $after: ID) {
        pet(id: $id) ${WHOLE_ANIMAL}
        pets(after: $after, limit: 1) ${WHOLE_ANIMAL}
      }`;
      const { json } = await graphql(read, { id, after: String(BigInt(id) - 1n) });
      expect(json).toEqual({
        data: { pet: graphqlAnimal({ id, ...animal }), pets: [graphqlAnimal({ id, ...animal })] },
      });
    }),
    {
      ...propertyRuns(54),
      examples: NAMES.map((text) => [{ name: text, categoryId: '1', status: 'sold' }]),
    },
  );
});

test('an animal created with GraphQL from variables or literals is the same when read with REST', async () => {
  await assert(
    asyncProperty(pet, boolean(), async (animal, isLiteral) => {
      // A JSON string is a valid GraphQL string, and an integer is a valid ID.
      const literal = `{ name: ${JSON.stringify(animal.name)}, categoryId: ${animal.categoryId}, status: ${animal.status} }`;
      const added = await (isLiteral
        ? graphql(`mutation { createPet(input: ${literal}) ${WHOLE_ANIMAL} }`)
        : graphql(`mutation($input: NewPet!) { createPet(input: $input) ${WHOLE_ANIMAL} }`, {
            input: animal,
          }));
      const id = idIn(added.text);
      expect(added.json).toEqual({ data: { createPet: graphqlAnimal({ id, ...animal }) } });
      const { status, text } = await request(`/v1/pets/${id}`);
      expect([status, text]).toEqual([200, restAnimal({ id, ...animal })]);
    }),
    propertyRuns(80),
  );
});
