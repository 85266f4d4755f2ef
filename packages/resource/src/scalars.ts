import {
  GraphQLError,
  GraphQLScalarType,
  type ValueNode,
  Kind,
  GraphQLFloat,
  GraphQLID,
  GraphQLList,
  getNullableType,
  GraphQLNonNull,
  isListType,
  isNonNullType,
  type GraphQLNamedType,
  type GraphQLType,
  type GraphQLSchema,
} from 'graphql';
import { type Marker, type ValueFacts, int64 } from '@store-gateway/graphql';
import { isJsonObject, isStorableText, type Json, parseExactly, toInt64 } from '@store-gateway/ops';
import { type Builder, builderPrototype, type DecimalValue, type JsonInput } from './builder.ts';
import type { SchemaTypes } from '@pothos/core';

interface ScalarOptions<Value> extends Required<ValueFacts> {
  readonly name: string;
  readonly description: string;
  /** Completes the sentence "NAME must be …". */
  readonly expected: string;
  /**
   * Parses a value; undefined for rejected values. A value that is already parsed must be returned unchanged, because checks of
   * input rules parse values again.
   */
  readonly parse: (value: unknown) => Value | undefined;
  /** Returns the value of a literal, for a scalar that needs a number's exact digits rather than a double. */
  readonly literalValue?: (node: ValueNode) => unknown;
  /** Serializes a value; undefined for anything that isn't a value of the scalar. */
  readonly serialize: (value: unknown) => unknown;
}

function createScalar<Value>(options: ScalarOptions<Value>): GraphQLScalarType<Value, unknown> {
  const { name, description, expected, example, jsonSchema, parse, literalValue, serialize } =
    options;
  const taken = <Taken>(value: Taken | undefined): Taken => {
    if (value === undefined) {
      throw new GraphQLError(`expected ${expected}`);
    }
    return value;
  };
  return new GraphQLScalarType<Value, unknown>({
    name,
    description,
    extensions: { jsonSchema, example, expected },
    serialize: (value) => taken(serialize(value)),
    parseValue: (value) => taken(parse(value)),
    ...(literalValue && { parseLiteral: (node) => taken(parse(literalValue(node))) }),
  });
}

const bigIntScalar = createScalar({
  name: 'BigInt',
  description: 'A 64-bit integer as a string, such as `"42"`. Integers are accepted, too.',
  expected: int64.expected,
  jsonSchema: int64.jsonSchema,
  example: 42,
  parse: parseInt64,
  // The literal is read as text, because a JavaScript number would round it.
  literalValue: (node) =>
    node.kind === Kind.INT || node.kind === Kind.STRING ? node.value : undefined,
  serialize: (value) => parseInt64(value)?.toString(),
});

function parseInt64(value: unknown): bigint | undefined {
  const isExact =
    typeof value === 'string' || typeof value === 'bigint' || Number.isSafeInteger(value);
  return isExact ? toInt64(String(value)) : undefined;
}

const bytesScalar = createScalar({
  name: 'Bytes',
  description: 'Bytes in base64 with padding (RFC 4648, 4), such as `"AAEC"`.',
  expected: 'bytes in base64 with padding (RFC 4648, 4), such as "AAEC"',
  jsonSchema: {
    type: 'string',
    contentEncoding: 'base64',
    pattern: '^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$',
  },
  example: 'AAEC',
  parse: (value) => {
    if (value instanceof Uint8Array) {
      return new Uint8Array(value);
    }
    const bytes = Buffer.from(typeof value === 'string' ? value : '=', 'base64');
    // Node skips characters that aren't base64.
    return bytes.toString('base64') === value ? new Uint8Array(bytes) : undefined;
  },
  serialize: (value) => {
    if (!(value instanceof Uint8Array)) {
      throw new TypeError('Bytes must be a Uint8Array');
    }
    return Buffer.from(value).toString('base64');
  },
});

const FIRST = Date.parse('0001-01-01T00:00:00.000Z');
const LAST = Date.parse('9999-12-31T23:59:59.999Z');

const dateScalar = createScalar({
  name: 'Date',
  description: 'A date such as `2026-11-22` (RFC 3339).',
  expected: 'a date such as 2026-11-22',
  jsonSchema: { type: 'string', format: 'date' },
  example: '2026-11-22',
  parse: (value) => writable(value instanceof Date ? value : timeOf(`${String(value)}T00:00:00Z`)),
  serialize: (value) => serializeDate(value).slice(0, '2026-11-22'.length),
});

const timestampScalar = createScalar({
  name: 'DateTime',
  description:
    'A point in time such as `2026-11-22T09:30:00.125Z` (RFC 3339), exact to the millisecond. Any offset is accepted; Z is returned.',
  expected:
    'a point in time with its offset and at most milliseconds, in the years 1 to 9999, such as 2026-11-22T09:30:00.125Z',
  jsonSchema: { type: 'string', format: 'date-time' },
  example: '2026-11-22T09:30:00.125Z',
  parse: (value) => writable(value instanceof Date ? value : timeOf(value)),
  serialize: serializeDate,
});

/** Converts a time to a Date; undefined if RFC 3339 can't represent it. */
function writable(moment: Date | number): Date | undefined {
  const date = new Date(moment);
  return date.getTime() >= FIRST && date.getTime() <= LAST ? date : undefined;
}

const MOMENT =
  /^(?<day>\d{4}-\d\d-\d\d)[Tt](?<time>\d\d:\d\d:\d\d)(?:\.(?<fraction>\d{1,3})0*)?(?:[Zz]|(?<sign>[+-])(?<hours>[01]\d|2[0-3]):(?<minutes>[0-5]\d))$/;

/**
 * Returns the milliseconds since 1970; NaN for anything but RFC 3339. It also returns NaN for days that a month doesn't have, and
 * for leap seconds and fractions of a millisecond, which would be stored as a different time.
 */
function timeOf(text: unknown): number {
  const {
    day,
    time,
    fraction = '',
    sign,
    hours,
    minutes,
  } = MOMENT.exec(typeof text === 'string' ? text : '')?.groups ?? {};
  const written = `${day}T${time}.${fraction.padEnd(3, '0')}Z`;
  const date = new Date(written);
  // JavaScript accepts 30 February as a day in March, and 24:00 as the next day.
  if (Number.isNaN(date.getTime()) || date.toISOString() !== written) {
    return Number.NaN;
  }
  const offset = (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * 60_000;
  return date.getTime() - (sign === '-' ? -offset : offset);
}

/**
 * Formats a date as in RFC 3339. A date outside the years 1 to 9999 becomes the nearest date in that range, because a column may
 * contain `infinity`, or may have rounded up the last second of 9999.
 *
 * @throws RangeError for an invalid date, and TypeError for a value that isn't a Date
 */
function serializeDate(value: unknown): string {
  if (!(value instanceof Date)) {
    throw new TypeError('DateTime and Date values must be Date objects');
  }
  return new Date(Math.min(Math.max(value.getTime(), FIRST), LAST)).toISOString();
}

const DECIMAL = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

const decimalScalar = createScalar({
  name: 'Decimal',
  description:
    'An exact decimal number as a string such as `"12.5"`, without exponent or trailing zeros.',
  expected: 'a decimal number as a string, such as "12.50"',
  // PostgreSQL's decimals include NaN and the infinities.
  jsonSchema: { type: 'string', pattern: String.raw`^(-?\d+(\.\d+)?|NaN|-?Infinity)$` },
  // The example is also valid for a column without a fraction.
  example: '12',
  parse: parseDecimal,
  serialize: (value) => {
    const toFixed: unknown = value instanceof Object ? Reflect.get(value, 'toFixed') : undefined;
    return typeof toFixed === 'function'
      ? String(Reflect.apply(toFixed, value, []))
      : parseDecimal(value);
  },
});

function parseDecimal(value: unknown): string | undefined {
  return typeof value === 'string' && DECIMAL.test(value) ? value : undefined;
}

/** JSON as text, in the format of Prisma's protocol. `toJSON` is an own property, because Prisma copies only own properties. */
class ExactJson {
  readonly value: unknown;
  readonly toJSON: () => unknown;

  constructor(value: unknown) {
    this.value = withRawIntegers(value);
    this.toJSON = () => ({ $type: 'Json', value: JSON.stringify(this.value) });
  }
}

const jsonScalar = createScalar<JsonInput>({
  name: 'Json',
  description: 'Any JSON value. 64-bit integers are exact; all other numbers are doubles.',
  expected:
    'JSON that PostgreSQL can store: text without NUL or unpaired surrogates, numbers that are doubles or 64-bit integers',
  jsonSchema: {},
  example: { anything: [1, 'two'] },
  parse: (value) => {
    if (value instanceof ExactJson || isPlain(value)) {
      return value;
    }
    return hasOnly(value, isStorable) ? new ExactJson(value) : undefined;
  },
  literalValue: jsonOfLiteral,
  serialize: (value) => (value instanceof ExactJson ? value.value : value),
});

/** Whether all names and values inside a JSON value satisfy `fits`. */
function hasOnly(value: unknown, fits: (leaf: unknown) => boolean): boolean {
  if (Array.isArray(value)) {
    return value.every((item) => hasOnly(item, fits));
  }
  return isJsonObject(value)
    ? Object.entries(value).every(([name, member]) => fits(name) && hasOnly(member, fits))
    : fits(value);
}

function isStorable(leaf: unknown): boolean {
  switch (typeof leaf) {
    case 'string':
      return isStorableText(leaf);
    case 'number':
      return Number.isFinite(leaf);
    default:
      return leaf === null || typeof leaf === 'boolean' || typeof leaf === 'bigint';
  }
}

function isPlain(value: unknown): value is Exclude<Json, null> {
  return value !== null && hasOnly(value, (leaf) => isStorable(leaf) && isKept(leaf));
}

/**
 * Whether Prisma's engine leaves a value unchanged. The engine drops `__proto__` members, converts bigints to text, and rounds
 * numbers to 15 digits.
 */
function isKept(leaf: unknown): boolean {
  return typeof leaf === 'number'
    ? Number.isSafeInteger(leaf) || Number(leaf.toPrecision(15)) === leaf
    : typeof leaf !== 'bigint' && leaf !== '__proto__';
}

/** Replaces bigints with objects that JSON.stringify writes as integers. */
function withRawIntegers(value: unknown): unknown {
  if (typeof value === 'bigint') {
    return JSON.rawJSON(String(value));
  }
  if (Array.isArray(value)) {
    return value.map(withRawIntegers);
  }
  return isJsonObject(value)
    ? Object.fromEntries(
        Object.entries(value).map(([name, member]) => [name, withRawIntegers(member)]),
      )
    : value;
}

function jsonOfLiteral(node: ValueNode): unknown {
  switch (node.kind) {
    case Kind.OBJECT:
      return Object.fromEntries(
        node.fields.map(({ name, value }) => [name.value, jsonOfLiteral(value)]),
      );
    case Kind.LIST:
      return node.values.map(jsonOfLiteral);
    case Kind.INT:
    case Kind.FLOAT:
      return parseExactly(node.value);
    case Kind.STRING:
    case Kind.BOOLEAN:
      return node.value;
    case Kind.NULL:
      return null;
    default:
      throw new GraphQLError(
        'Json must not contain variables or enum values: pass the whole value as a variable',
      );
  }
}

declare global {
  export namespace PothosSchemaTypes {
    /** The methods that return scalars. The first call to a method adds its scalar to the schema. */
    interface SchemaBuilder<Types extends SchemaTypes> {
      /** The scalar `BigInt`, a 64-bit integer: Prisma's `BigInt`. Like an id, it is text in GraphQL and an integer in REST. */
      bigIntType: () => ScalarRef<Types, bigint, bigint>;
      /** The scalar `Bytes`, in base64: Prisma's `Bytes`. */
      bytesType: () => ScalarRef<Types, Uint8Array, Uint8Array<ArrayBuffer>>;
      /** The scalar `Date`, a day without a time: Prisma's `DateTime @db.Date`. */
      dateType: () => ScalarRef<Types, Date, Date>;
      /**
       * The scalar `Decimal`, an exact number as text: Prisma's `Decimal`. Inputs need a rule, because a column rounds numbers
       * with more digits than it stores. For a column without `@db.Decimal`, the rule is `decimal(65, 30)`.
       */
      decimalType: () => ScalarRef<Types, DecimalValue, string>;
      /**
       * The scalar `Json`, any JSON value: Prisma's `Json`. Doubles and 64-bit integers are exact. An input with a number of
       * more than 15 digits is passed to resolvers as an object that only Prisma understands.
       */
      jsonType: () => ScalarRef<Types, unknown, JsonInput>;
      /**
       * The scalar `DateTime`, a point in time to the millisecond: Prisma's `DateTime @db.Timestamptz(3)`. A coarser column
       * rounds values, and `infinity` is returned as the last millisecond of the year 9999.
       */
      timestampType: () => ScalarRef<Types, Date, Date>;
    }
  }
}

type Name = 'BigInt' | 'Bytes' | 'Date' | 'DateTime' | 'Decimal' | 'Json';

function scalarType<Given extends Name>(name: Given, scalar: GraphQLScalarType) {
  const add = (builder: Builder) => builder.addScalarType(name, scalar);
  const added = new WeakMap<Builder, ReturnType<typeof add>>();
  return function scalarTypeOf(this: Builder): ReturnType<typeof add> {
    const type = added.get(this) ?? add(this);
    added.set(this, type);
    return type;
  };
}

builderPrototype.bigIntType = scalarType('BigInt', bigIntScalar);
builderPrototype.bytesType = scalarType('Bytes', bytesScalar);
builderPrototype.dateType = scalarType('Date', dateScalar);
builderPrototype.decimalType = scalarType('Decimal', decimalScalar);
builderPrototype.jsonType = scalarType('Json', jsonScalar);
builderPrototype.timestampType = scalarType('DateTime', timestampScalar);

/** ID with bigint support, as in graphql-js 17, so that no 64-bit id is converted to a double. */
const ID = new GraphQLScalarType({
  ...GraphQLID.toConfig(),
  parseValue: (value) => GraphQLID.parseValue(typeof value === 'bigint' ? String(value) : value),
  serialize: (value) => (typeof value === 'bigint' ? String(value) : GraphQLID.serialize(value)),
});

/** Float with bigint support: JSON integers beyond 2^53, such as 1e17, are parsed as bigints. */
const Float = new GraphQLScalarType({
  ...GraphQLFloat.toConfig(),
  parseValue: (value) => GraphQLFloat.parseValue(typeof value === 'bigint' ? Number(value) : value),
});

const EXACT = new Map<GraphQLNamedType, GraphQLScalarType>([
  [GraphQLID, ID],
  [GraphQLFloat, Float],
]);

/** Replaces graphql-js's ID and Float in a schema, in place, because Pothos always uses graphql-js's own instances. */
export function exactScalars(schema: GraphQLSchema): Marker {
  return {
    field: useExact,
    argument: useExact,
    inputField: useExact,
    end: () => {
      schema.getDirectives().forEach(({ args }) => {
        args.forEach(useExact);
      });
      const types = schema.getTypeMap();
      for (const [own, exact] of EXACT) {
        if (types[own.name] === own) {
          types[own.name] = exact;
        }
      }
    },
  };
}

function useExact(member: { type: GraphQLType }): void {
  member.type = exactly(member.type);
}

/** Replaces ID and Float in a type, even inside lists and non-null types. */
function exactly(type: GraphQLType): GraphQLType {
  if (isNonNullType(type)) {
    return new GraphQLNonNull(getNullableType(exactly(type.ofType)));
  }
  return isListType(type) ? new GraphQLList(exactly(type.ofType)) : (EXACT.get(type) ?? type);
}
