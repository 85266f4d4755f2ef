import type { ArgumentRef, InputFieldMap } from '@pothos/core';
import { inputError, decimal, integerBetween, text, type InputRule } from '@store-gateway/graphql';
import type { AnyTypes } from './builder-prototype.ts';
import type { OrderedColumn } from './columns.ts';

type Arguments = PothosSchemaTypes.InputFieldBuilder<AnyTypes, 'Arg'>;

/** An argument that restricts a list to some values of the first column of its order. */
interface Restriction {
  readonly argument: string;
  readonly field: string;
  readonly operator: 'gte' | 'lt' | 'startsWith';
  readonly ref: (t: Arguments) => ArgumentRef<AnyTypes, unknown>;
}

/** What the arguments of a request restrict a list to: a condition on one column. */
interface Restricted {
  /** The first that is given. */
  readonly argument: string;
  readonly field: string;
  readonly condition: object;
}

interface Restrictions {
  readonly rangeArgs: (t: Arguments) => InputFieldMap;
  readonly prefixArgs: (t: Arguments) => InputFieldMap;
  /** Of each argument, its column. */
  readonly columnsOf: ReadonlyMap<string, readonly string[]>;
  /** @throws BAD_USER_INPUT if more than one column is restricted */
  readonly read: (given: object) => Restricted | undefined;
}

/** Longer texts don't fit into an index. */
const TEXT = text(1, 1000);

/** The arguments `dueFrom` and `dueBefore` for a range of `due`, and `titlePrefix` for a prefix of `title`. */
export function restrictionsOf(
  nouns: string,
  ranges: readonly OrderedColumn[],
  prefixes: readonly OrderedColumn[],
  builder: PothosSchemaTypes.SchemaBuilder<AnyTypes>,
): Restrictions {
  const ofRanges = ranges.flatMap((column) => rangeOf(column, nouns, builder));
  const ofPrefixes = prefixes.map((column) => prefixOf(column, nouns));
  const all = [...ofRanges, ...ofPrefixes];
  return {
    rangeArgs: argsOf(ofRanges),
    prefixArgs: argsOf(ofPrefixes),
    columnsOf: new Map(all.map(({ argument, field }) => [argument, [field]])),
    read: (given) => readRestrictions(all, given),
  };
}

function argsOf(restrictions: readonly Restriction[]) {
  return (t: Arguments): InputFieldMap =>
    Object.fromEntries(restrictions.map(({ argument, ref }) => [argument, ref(t)]));
}

function rangeOf(
  column: OrderedColumn,
  nouns: string,
  builder: PothosSchemaTypes.SchemaBuilder<AnyTypes>,
): Restriction[] {
  const { field } = column;
  const ref = (bound: string) => (t: Arguments) =>
    valueOf(column, t, builder, `Only ${nouns} whose \`${field}\` is ${bound}.`);
  return [
    { argument: `${field}From`, field, operator: 'gte', ref: ref('this or comes after it') },
    { argument: `${field}Before`, field, operator: 'lt', ref: ref('before this') },
  ];
}

/** @throws if the column has no text */
function prefixOf({ field, type }: OrderedColumn, nouns: string): Restriction {
  if (!type.filters.includes('prefix')) {
    throw new Error(`${field} can't have a prefix: it isn't text`);
  }
  const description = `Only ${nouns} whose \`${field}\` begins with this, capitals as they are.`;
  return {
    argument: `${field}Prefix`,
    field,
    operator: 'startsWith',
    ref: (t) => t.string({ rule: TEXT, example: 'A', description }),
  };
}

function readRestrictions(
  restrictions: readonly Restriction[],
  given: object,
): Restricted | undefined {
  let restricted: Restricted | undefined;
  for (const { argument, field, operator } of restrictions) {
    const value: unknown = Reflect.get(given, argument);
    if (value == null) {
      continue;
    }
    if (restricted !== undefined && restricted.field !== field) {
      const message = `${argument} must not be combined with ${restricted.argument}`;
      throw inputError([{ path: [argument], message }]);
    }
    const operand =
      operator === 'startsWith' && typeof value === 'string' ? literally(value) : value;
    restricted = {
      argument: restricted?.argument ?? argument,
      field,
      condition: { ...restricted?.condition, [operator]: operand },
    };
  }
  return restricted;
}

/** Text as a pattern of LIKE, which Prisma takes texts for, that matches only itself. */
function literally(pattern: string): string {
  return pattern.replaceAll(/[\\%_]/g, String.raw`\$&`);
}

/** An argument for a value of a column. */
function valueOf(
  { type: { kind, bits, time } }: OrderedColumn,
  t: Arguments,
  builder: PothosSchemaTypes.SchemaBuilder<AnyTypes>,
  description: string,
): ArgumentRef<AnyTypes, unknown> {
  switch (kind) {
    case 'DateTime':
      return t.field({
        type: time === 'day' ? builder.dateType() : builder.timestampType(),
        description,
      });
    case 'BigInt':
      return t.field({ type: builder.bigIntType(), description });
    case 'Int':
      return t.int({ ...(bits === 16 && { rule: integerBetween(-32_768, 32_767) }), description });
    case 'Float':
      return t.float({ description });
    case 'Decimal':
      return t.field({ type: builder.decimalType(), rule: decimal(1000, 500), description });
    default:
      return t.string({ rule: TEXT, example: 'A', description });
  }
}

/** The argument that rows are searched by. */
export const SEARCH = 'search';

const MAX_LENGTH = 100;
const WORD = /[\p{L}\p{N}]{3}/u;
const SEARCHED = text(3, MAX_LENGTH);

/** An index of trigrams finds nothing by less than three letters or digits, and would be read as a whole. */
const SEARCH_RULE: InputRule = {
  expected: `a string of 3 to ${MAX_LENGTH} characters, at least three of them letters or digits in a row`,
  accepts: (value) => SEARCHED.accepts(value) && WORD.test(String(value)),
  jsonSchema: SEARCHED.jsonSchema,
};

export function searchArgument(
  t: PothosSchemaTypes.InputFieldBuilder<AnyTypes, 'Arg'>,
  nouns: string,
  columns: readonly string[],
): ArgumentRef<AnyTypes, string | null | undefined> {
  const within = columns.map((field) => `\`${field}\``).join(' or ');
  return t.string({
    rule: SEARCH_RULE,
    example: 'abc',
    description: `Only ${nouns} whose ${within} contains this text, whatever its capitals, in the order of ids: 3 to ${MAX_LENGTH} characters, three of them letters or digits in a row.`,
  });
}

/** Prisma's condition that one of the columns contains a text, whatever its capitals. */
export function contains(columns: readonly string[], searched: string): object {
  const [only, ...others] = columns.map((field) => ({
    [field]: { contains: literally(searched), mode: 'insensitive' },
  }));
  return others.length === 0 ? { ...only } : { OR: [only, ...others] };
}
