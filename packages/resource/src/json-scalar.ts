import { GraphQLError, Kind, type ValueNode } from 'graphql';
import { parseExactly, isJsonObject, type Json } from '@store-gateway/ops';
import type { JsonInput } from './builder-prototype.ts';
import { createScalar } from './scalar.ts';

/** JSON as text, in the words of Prisma's protocol. The method is its own property, since Prisma copies no others. */
class ExactJson {
  readonly value: unknown;
  readonly toJSON: () => unknown;

  constructor(value: unknown) {
    this.value = withRawIntegers(value);
    this.toJSON = () => ({ $type: 'Json', value: JSON.stringify(this.value) });
  }
}

export const jsonScalar = createScalar<JsonInput>({
  name: 'Json',
  description: 'Any JSON value. 64-bit integers are exact; all other numbers are doubles.',
  expected:
    'JSON that PostgreSQL can store: text without NUL or unpaired surrogates, numbers that are doubles or integers of 64 bits',
  jsonSchema: {},
  example: { anything: [1, 'two'] },
  parse: (value) => {
    if (value instanceof ExactJson || isPlain(value)) {
      return value;
    }
    return hasOnly(value, isStorable) ? new ExactJson(value) : undefined;
  },
  literalValue,
  serialize: (value) => (value instanceof ExactJson ? value.value : value),
});

/** Whether all names and values within a value of JSON fit. */
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
      return leaf.isWellFormed() && !leaf.includes('\0');
    case 'number':
      return Number.isFinite(leaf);
    default:
      return leaf === null || typeof leaf === 'boolean' || typeof leaf === 'bigint';
  }
}

function isPlain(value: unknown): value is Exclude<Json, null> {
  return value !== null && hasOnly(value, (leaf) => isStorable(leaf) && isKept(leaf));
}

/** Whether Prisma's engine keeps what it is. It loses a member `__proto__`, makes text of a bigint, and rounds to 15 digits. */
function isKept(leaf: unknown): boolean {
  return typeof leaf === 'number'
    ? Number.isSafeInteger(leaf) || Number(leaf.toPrecision(15)) === leaf
    : typeof leaf !== 'bigint' && leaf !== '__proto__';
}

/** For JSON.stringify. */
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

function literalValue(node: ValueNode): unknown {
  switch (node.kind) {
    case Kind.OBJECT:
      return Object.fromEntries(
        node.fields.map(({ name, value }) => [name.value, literalValue(value)]),
      );
    case Kind.LIST:
      return node.values.map(literalValue);
    case Kind.INT:
    case Kind.FLOAT:
      return parseExactly(node.value);
    case Kind.STRING:
    case Kind.BOOLEAN:
      return node.value;
    case Kind.NULL:
      return null;
    default:
      throw new GraphQLError('Json takes no variables or enums within it: make it a variable');
  }
}
