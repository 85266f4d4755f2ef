const DECIMAL = /^-?(?<whole>\d+)(?:\.(?<fraction>\d+))?(?:[eE](?<exponent>[+-]?\d+))?$/;

const ZERO = /^-?[0.]+(?:$|[eE])/;

/** Beyond 64 bits a double will do. */
const LARGEST = 2 ** 64;

/**
 * Parses a number of JSON without loss: an integer beyond 2^53 as a bigint, in any spelling (`9e18`, `9007199254740993.0`),
 * and a fraction that a double would round to an integer as NaN, so that it can't pass for one.
 */
export function exactNumber(source: string): number | bigint {
  const value = Number(source);
  if (value === 0) {
    return ZERO.test(source) ? value : Number.NaN;
  }
  // A double holds 15 digits.
  const isExact = source.length <= 16 && Number.isSafeInteger(value);
  if (isExact || !Number.isInteger(value) || Math.abs(value) >= LARGEST) {
    return value;
  }
  const exact = exactInteger(source);
  if (exact === undefined) {
    return Number.NaN;
  }
  return Number.isSafeInteger(value) ? value : exact;
}

/** The integer of a number other than zero, or undefined if it is a fraction. */
function exactInteger(source: string): bigint | undefined {
  const { whole = '', fraction = '', exponent = '0' } = DECIMAL.exec(source)?.groups ?? {};
  const digits = whole + fraction;
  // The integer has 20 digits at most, so a positive shift is small. A negative one may exceed the digits, which are then
  // all of the fraction.
  const shift = Number(exponent) - fraction.length;
  if (shift < 0 && !/^0+$/.test(digits.slice(shift))) {
    return undefined;
  }
  const integer = BigInt(shift < 0 ? digits.slice(0, shift) : digits + '0'.repeat(shift));
  return source.startsWith('-') ? -integer : integer;
}
