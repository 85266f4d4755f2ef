import { callMethod } from './arguments.ts';
import type { DataField } from './rule.ts';

/** A text by which values of a column are equal; undefined for what is none of its values. */
export type TextOf = (value: unknown) => string | undefined;

const INT = [-(2 ** 31), 2 ** 31 - 1] as const;

const textOfString: TextOf = (value) =>
  typeof value === 'string' && value.isWellFormed() && !value.includes('\0') ? value : undefined;

const TEXTS: Readonly<Record<string, TextOf>> = {
  BigInt: (value) => {
    const exact = typeof value === 'number' && Number.isSafeInteger(value) ? BigInt(value) : value;
    return typeof exact === 'bigint' && BigInt.asIntN(64, exact) === exact
      ? String(exact)
      : undefined;
  },
  Int: (value) =>
    typeof value === 'number' && Number.isInteger(value) && value >= INT[0] && value <= INT[1]
      ? String(value)
      : undefined,
  String: textOfString,
  Boolean: (value) => (typeof value === 'boolean' ? String(value) : undefined),
  DateTime: (value) =>
    value instanceof Date && !Number.isNaN(value.getTime()) ? String(value.getTime()) : undefined,
  Decimal: (value) => {
    // Decimal.js writes equal numbers alike, and takes none of JavaScript's for one.
    const text =
      value instanceof Object && 'toFixed' in value ? callMethod(value, 'toString', []) : undefined;
    return typeof text === 'string' && text !== 'NaN' ? text : undefined;
  },
};

/** How a column's values are compared exactly; undefined if they can't be. */
export function textOfField({ kind, type, isList }: DataField): TextOf | undefined {
  if (isList) {
    return undefined;
  }
  return kind === 'enum' ? textOfString : kind === 'scalar' ? TEXTS[type] : undefined;
}
