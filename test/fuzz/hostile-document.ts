import {
  array,
  boolean,
  constant,
  constantFrom,
  integer,
  letrec,
  nat,
  oneof,
  tuple,
  type Arbitrary,
} from 'fast-check';
import { TAG_PLACE } from './exchange.ts';
import { either, hostileText, mostly, repeated, some, text } from './hostile-values.ts';

const FIELD = either(
  'pets|petsConnection|pet|createPet|__typename|__schema|__type|id|name|categoryId|status',
  'nodes|edges|node|cursor|pageInfo|hasNextPage|hasPreviousPage|startCursor|endCursor|fields|type',
  'ofType|args|kind|unknown|_entities|_service|__proto__|constructor|toString',
);
const TYPE = either(
  'Query|Mutation|Subscription|Pet|PetConnection|PageInfo|__Type|__Schema|NewPet|PetStatus',
  'Unknown|String|__proto__',
);
const INPUT_TYPE = either(
  'Int|Int!|ID|ID!|String|[String]|[[[ID!]!]!]!|Boolean!|PetStatus|NewPet|NewPet!|Pet|Unknown',
);
const ARGUMENT = either(
  'id|limit|first|last|before|status|after|input|name|idempotencyKey|unknown|__proto__',
);
const DIRECTIVE = either('skip|include|deprecated|oneOf|defer|specifiedBy|unknown');
const KIND = either('query|mutation|subscription|fragment F on|extend type|type|');
const ANIMAL = `{ name: "${TAG_PLACE}", categoryId: 1 }`;
const VALUE = either(
  '0|1|-1|2147483648|1e400|-0|1.0|00|0x1|null|true|available|sold|undefined|__proto__',
  `$v0|$v1|$v2|$v3|$v4|"1"|"9223372036854775807"|${'9'.repeat(300)}|${ANIMAL}`,
);

/** Few or thousands, on both sides of the limits. */
const COUNTS = constantFrom<number[]>(1, 5, 29, 31, 49, 51, 200, 1000, 5000);
/** Few enough for all animals to be added, or slightly too many. */
const ADDITIONS = constantFrom<number[]>(1, 5, 29, 31, 40);

function list(
  item: Arbitrary<string>,
  write = (value: string, _index: number) => value,
  counts = COUNTS,
): Arbitrary<string> {
  return counts
    .chain((count) => array(item, { minLength: count, maxLength: count, size: 'max' }))
    .map((items) => items.map(write).join(' '));
}

function numbered(write: (index: number) => string, counts = COUNTS): Arbitrary<string> {
  return list(constant(''), (_value, index) => write(index), counts);
}

const deep = tuple(
  constantFrom(5, 19, 21, 100, 499, 2000, 15_000),
  either('{ __typename |{ ...on Query |{ a: pets |{ ofType |{'),
  either('|{ id }'),
).map(([levels, open, inside]) => open.repeat(levels) + inside + '}'.repeat(levels));

const cyclic = array(tuple(TYPE, boolean(), nat(60)), {
  minLength: 1,
  maxLength: 60,
  size: 'max',
}).map((fragments) =>
  fragments
    .map(([type, isNext, any], index) => {
      const next = isNext ? (index + 1) % fragments.length : any;
      return `fragment F${index} on ${type} { ...F${next} }`;
    })
    .join(' '),
);

const doubling = tuple(
  integer({ min: 2, max: 60 }),
  either('|@include(if: true)|@skip(if: $a)'),
).map(([count, use]) =>
  [
    '{ ...F0 }',
    ...Array.from({ length: count }, (_, index) => {
      const next = `...F${index + 1}`;
      return `fragment F${index} on Query { ${next} ${use} ${next} }`;
    }),
    `fragment F${count} on Query { pets(limit: 100) { id } }`,
  ].join(' '),
);

const introspection = integer({ min: 1, max: 30 }).map((levels) =>
  [
    '{ __schema { types { ',
    'fields { type { '.repeat(levels),
    ' name ',
    '} } '.repeat(levels),
    '} } }',
  ].join(''),
);

const nestedValue = tuple(
  constantFrom(1, 50, 400, 3000, 20_000),
  constantFrom(['[', ']'], ['{ a: ', '}']),
).map(([levels, [open = '', close = '']]) => `${open.repeat(levels)}1${close.repeat(levels)}`);

/** A string or block string, with valid escapes, invalid escapes or escaped lone surrogates. */
const stringValue = oneof(
  hostileText.map((value) => JSON.stringify(value)),
  text`"""${hostileText}"""`,
  text`"""${repeated('\n ', 0, 20_000)}x"""`,
  text`"${either('\\uD800|\\u{110000}|\\u{D83D}\\u{DE00}|\\u|\\x41|\\')}"`,
  text`"${repeated('y', 0, 80_000)}"`,
);

const optional = (part: Arbitrary<string>) => oneof(constant(''), part);
const joined = (items: Arbitrary<string[]>, ...separators: readonly string[]) =>
  tuple(items, constantFrom(...separators)).map(([all, separator]) => all.join(separator));

const { definition } = letrec<Record<'definition' | 'selections' | 'field' | 'value', string>>(
  (tie) => {
    const directive = text`@${DIRECTIVE}${optional(text`(if: ${tie('value')})`)}`;
    const directives = joined(some(2, directive), ' ');
    const argument = text`${ARGUMENT}: ${tie('value')}`;
    const givenArguments = optional(text`(${array(argument, { minLength: 1, maxLength: 4 })})`);
    const alias = mostly(constant(''), 5, text`${oneof(FIELD, constant('a'))}: `);
    const variable = text`$v${nat(4)}: ${INPUT_TYPE} = ${tie('value')}`;
    const leaf = text`${alias}${FIELD}${givenArguments} ${directives}`;
    const condition = optional(text`on ${TYPE}`);
    return {
      definition: text`${KIND} ${optional(TYPE)} ${optional(text`(${some(4, variable)})`)} ${directives} ${tie('selections')}`,
      selections: text`{ ${joined(array(tie('field'), { minLength: 1, maxLength: 7 }), ' ', ', ', '\n')} }`,
      field: oneof(
        { maxDepth: 6 },
        { arbitrary: leaf, weight: 4 },
        { arbitrary: text`${leaf} ${tie('selections')}`, weight: 5 },
        { arbitrary: text`... ${condition} ${directives} ${tie('selections')}`, weight: 1 },
      ),
      value: oneof(
        { maxDepth: 3 },
        { arbitrary: VALUE, weight: 6 },
        stringValue,
        nestedValue,
        text`[${some(5, tie('value'))}]`,
        text`{ ${some(4, text`${either('name|categoryId|status|__proto__|a')}: ${tie('value')}`)} }`,
      ),
    };
  },
);

/** A GraphQL document that follows the grammar, and often the schema, but asks for too much. */
export const hostileDocument = oneof(
  deep,
  text`{ ${numbered((index) => `a${index}: pets(limit: 100) { id }`)} }`,
  text`{ ${list(FIELD)} }`,
  text`{ ...F0 ${numbered(() => '...F0')} } ${cyclic}`,
  doubling,
  text`query { pets { id } } # ${repeated('x', 0, 90_000)}`,
  text`{ pet(id: ${stringValue}) { id } }`,
  text`query Q(${list(INPUT_TYPE, (type, index) => `$v${index}: ${type}`)}) { pets { id } }`,
  text`{ pets(limit: ${nestedValue}) { id } }`,
  introspection,
  text`mutation { ${numbered((index) => `c${index}: createPet(input: ${ANIMAL}) { id }`, ADDITIONS)} }`,
  numbered((index) => `query Q${index} { __typename }`),
  {
    arbitrary: joined(some(4, definition), '\n', ' ', ',', '\ufeff', '\r'),
    weight: 2,
  },
);
