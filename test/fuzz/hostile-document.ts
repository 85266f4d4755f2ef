import { hostileText } from './hostile-text.ts';
import type { Random } from './random.ts';

const FIELDS = [
  ...'pets petsConnection pet createPet __typename __schema __type id name categoryId status'.split(
    ' ',
  ),
  ...'nodes edges node cursor pageInfo hasNextPage hasPreviousPage startCursor endCursor fields type ofType args kind'.split(
    ' ',
  ),
  ...'unknown _entities _service __proto__ constructor toString'.split(' '),
];
const TYPES = [
  ...'Query Mutation Subscription Pet PetConnection PageInfo __Type __Schema NewPet PetStatus'.split(
    ' ',
  ),
  ...'Unknown String __proto__'.split(' '),
];
const INPUT_TYPES =
  'Int Int! ID ID! String [String] [[[ID!]!]!]! Boolean! PetStatus NewPet NewPet! Pet Unknown'.split(
    ' ',
  );
const NUMBERS = ['0', '1', '-1', '2147483648', '9'.repeat(300), '1e400', '-0', '1.0', '00', '0x1'];

/** A GraphQL document, as the grammar has them, and often as the schema has them: what it asks for is too much. */
export function hostileDocument(random: Random, tag: string): string {
  switch (random.integer(0, 13)) {
    case 0:
      return deep(random);
    case 1:
      return `{ ${repeated(random, (index) => `a${index}: pets(limit: 100) { id }`)} }`;
    case 2:
      return `{ ${repeated(random, () => random.pick(FIELDS))} }`;
    case 3:
      return cyclic(random);
    case 4:
      return doubling(random);
    case 5:
      return `query { pets { id } } # ${'x'.repeat(random.integer(0, 90_000))}`;
    case 6:
      return `{ pet(id: ${text(random)}) { id } }`;
    case 7:
      return `query Q(${repeated(random, (index) => `$v${index}: ${random.pick(INPUT_TYPES)}`)}) { pets { id } }`;
    case 8:
      return `{ pets(limit: ${nestedValue(random)}) { id } }`;
    case 9:
      return `{ __schema { types { ${'fields { type { '.repeat(random.integer(1, 30))} name ${'} } '.repeat(random.integer(1, 30))} } } }`;
    case 10:
      return `mutation { ${repeated(random, (index) => `c${index}: createPet(input: { name: "${tag}", categoryId: 1 }) { id }`, ADDITIONS)} }`;
    case 11:
      return repeated(random, (index) => `query Q${index} { __typename }`);
    default:
      return random
        .some(4, () => definition(random, tag))
        .join(random.pick(['\n', ' ', ',', '\ufeff', '\r']));
  }
}

/** Few or thousands, on both sides of the bounds. */
const COUNTS = [1, 5, 29, 31, 49, 51, 200, 1000, 5000];
/** So few that all of them are added, or just too many. */
const ADDITIONS = [1, 5, 29, 31, 40];

function repeated(random: Random, make: (index: number) => string, counts = COUNTS): string {
  const count = random.pick(counts);
  return Array.from({ length: count }, (_, index) => make(index)).join(' ');
}

function deep(random: Random): string {
  const levels = random.pick([5, 19, 21, 100, 499, 2000, 15_000]);
  const open = random.pick(['{ __typename ', '{ ...on Query ', '{ a: pets ', '{ ofType ', '{']);
  return open.repeat(levels) + (random.chance(0.5) ? '{ id }' : '') + '}'.repeat(levels);
}

function cyclic(random: Random): string {
  const count = random.integer(1, 60);
  const fragments = Array.from(
    { length: count },
    (_, index) =>
      `fragment F${index} on ${random.pick(TYPES)} { ...F${random.chance(0.5) ? (index + 1) % count : random.integer(0, count)} }`,
  );
  return `{ ...F0 ${repeated(random, () => '...F0')} } ${fragments.join(' ')}`;
}

function doubling(random: Random): string {
  const count = random.integer(2, 60);
  const use = random.pick(['', '@include(if: true)', '@skip(if: $a)']);
  const fragments = Array.from(
    { length: count },
    (_, index) => `fragment F${index} on Query { ...F${index + 1} ${use} ...F${index + 1} }`,
  );
  return `{ ...F0 } ${fragments.join(' ')} fragment F${count} on Query { pets(limit: 100) { id } }`;
}

function definition(random: Random, tag: string): string {
  const kind = random.pick([
    'query',
    'mutation',
    'subscription',
    'fragment F on',
    'extend type',
    'type',
    '',
  ]);
  const name = random.pick(['', ...TYPES]);
  const variables = random.chance(0.4)
    ? `(${random.some(4, (index) => `$v${index}: ${random.pick(INPUT_TYPES)} = ${value(random, tag, 2)}`).join(', ')})`
    : '';
  return `${kind} ${name} ${variables} ${directives(random, tag)} ${selections(random, tag, random.integer(1, 6))}`;
}

function selections(random: Random, tag: string, depth: number): string {
  const inside = [field(random, tag, depth), ...random.some(6, () => field(random, tag, depth))];
  return `{ ${inside.join(random.pick([' ', ', ', '\n']))} }`;
}

function field(random: Random, tag: string, depth: number): string {
  if (random.chance(0.1)) {
    return `... ${random.chance(0.5) ? `on ${random.pick(TYPES)}` : ''} ${directives(random, tag)} ${selections(random, tag, depth - 1)}`;
  }
  const name = random.pick(FIELDS);
  const alias = random.chance(0.2) ? `${random.pick([...FIELDS, 'a', '__proto__'])}: ` : '';
  const below = depth > 0 && random.chance(0.6) ? selections(random, tag, depth - 1) : '';
  return `${alias}${name}${givenArguments(random, tag)} ${directives(random, tag)} ${below}`;
}

function givenArguments(random: Random, tag: string): string {
  if (random.chance(0.5)) {
    return '';
  }
  const names = [
    'id',
    'limit',
    'first',
    'last',
    'before',
    'status',
    'after',
    'input',
    'name',
    'idempotencyKey',
    'unknown',
    '__proto__',
  ];
  const given = [0, ...random.some(3, Number)].map(
    () => `${random.pick(names)}: ${value(random, tag, 3)}`,
  );
  return `(${given.join(', ')})`;
}

function directives(random: Random, tag: string): string {
  return random
    .some(2, () => {
      const name = random.pick([
        'skip',
        'include',
        'deprecated',
        'oneOf',
        'defer',
        'specifiedBy',
        'unknown',
      ]);
      return `@${name}${random.chance(0.7) ? `(if: ${value(random, tag, 1)})` : ''}`;
    })
    .join(' ');
}

function value(random: Random, tag: string, depth: number): string {
  switch (random.integer(0, depth > 0 ? 9 : 6)) {
    case 0:
      return random.pick(NUMBERS);
    case 1:
      return random.pick(['null', 'true', 'available', 'sold', 'undefined', '__proto__']);
    case 2:
      return `$v${random.integer(0, 4)}`;
    case 3:
      return text(random);
    case 4:
      return `{ name: "${tag}", categoryId: 1 }`;
    case 5:
    case 6:
      return random.pick(['1', '"1"', 'true', '"9223372036854775807"']);
    case 7:
      return `[${random.some(5, () => value(random, tag, depth - 1)).join(' ')}]`;
    case 8:
      return nestedValue(random);
    default:
      return `{ ${random.some(4, () => `${random.pick(['name', 'categoryId', 'status', '__proto__', 'a'])}: ${value(random, tag, depth - 1)}`).join(', ')} }`;
  }
}

function nestedValue(random: Random): string {
  const levels = random.pick([1, 50, 400, 3000, 20_000]);
  const [open, close] = random.pick([
    ['[', ']'],
    ['{ a: ', '}'],
  ] as const);
  return `${open.repeat(levels)}1${close.repeat(levels)}`;
}

/** A string or a block string; its escapes are right, wrong, or those of lone surrogates. */
function text(random: Random): string {
  switch (random.integer(0, 4)) {
    case 0:
      return JSON.stringify(hostileText(random));
    case 1:
      return `"""${hostileText(random)}"""`;
    case 2:
      return `"""${'\n '.repeat(random.integer(0, 20_000))}x"""`;
    case 3:
      return `"${random.pick(['\\uD800', '\\u{110000}', '\\u{D83D}\\u{DE00}', '\\u', '\\x41', '\\'])}"`;
    default:
      return `"${'y'.repeat(random.integer(0, 80_000))}"`;
  }
}
