/** What a JSON.parse reviver learns of a primitive: the text it was made from (ECMA-262, 25.5.1). */
interface ReviverContext {
  readonly source?: string;
}

declare global {
  interface JSON {
    /** A value that JSON.stringify writes as the text it was given (ECMA-262, 25.5.3). */
    rawJSON(text: string): object;
  }
}

export type Json = string | number | boolean | null | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [name: string]: Json;
}

const DECIMAL = /^-?(?<whole>\d+)(?:\.(?<fraction>\d+))?(?:[eE](?<exponent>[+-]?\d+))?$/;

/**
 * A JSON.parse reviver that keeps what a double would lose: an integer beyond 2^53 becomes a bigint,
 * in whatever spelling it came (`9e18`, `9007199254740993.0`), and a fraction that a double would round
 * to an integer becomes NaN, so that it can't pass for one. All else is as without a reviver.
 */
export function exactNumbers(_key: string, value: unknown, context?: ReviverContext): unknown {
  if (typeof value !== 'number' || context?.source === undefined) {
    return value;
  }
  if (!Number.isInteger(value) || (Number.isSafeInteger(value) && /^-?\d+$/.test(context.source))) {
    return value;
  }
  const exact = exactInteger(context.source);
  if (exact === undefined) {
    return Number.NaN;
  }
  return Number.isSafeInteger(value) ? value : exact;
}

/** The integer that a JSON number's text denotes, or undefined for a fraction. */
function exactInteger(source: string): bigint | undefined {
  const { whole = '', fraction = '', exponent = '0' } = DECIMAL.exec(source)?.groups ?? {};
  const digits = whole + fraction;
  if (/^0*$/.test(digits)) {
    return 0n;
  }
  // The double is finite, so a positive shift is a few hundreds at most. A negative one may be as huge as
  // it likes: beyond all digits, they are the fraction.
  const shift = Number(exponent) - fraction.length;
  if (shift < 0 && !/^0+$/.test(digits.slice(shift))) {
    return undefined;
  }
  const integer = BigInt(shift < 0 ? digits.slice(0, shift) : digits + '0'.repeat(shift));
  return source.startsWith('-') ? -integer : integer;
}

/** Whether a value is a JSON object, and not an array or null. */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
