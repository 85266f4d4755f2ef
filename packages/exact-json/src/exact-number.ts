const DECIMAL = /^-?(?<whole>\d+)(?:\.(?<fraction>\d+))?(?:[eE](?<exponent>[+-]?\d+))?$/;

const ZERO = /^-?[0.]+(?:$|[eE])/;

/** Integers beyond it are no 64-bit integers: doubles will do for them. */
const LARGEST = 2 ** 64;

/**
 * The number that a text of JSON says, with what a double would lose: an integer beyond 2^53 as a bigint, in whatever
 * spelling it came (`9e18`, `9007199254740993.0`), and a fraction that a double would round to an integer as NaN, so
 * that it can't pass for one.
 */
export function exactNumber(source: string): number | bigint {
  const value = Number(source);
  if (value === 0) {
    return ZERO.test(source) ? value : Number.NaN;
  }
  // Doubles tell all other numbers of 15 digits apart.
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

/** The integer that the text of a JSON number other than zero says, or undefined if it is a fraction. */
function exactInteger(source: string): bigint | undefined {
  const { whole = '', fraction = '', exponent = '0' } = DECIMAL.exec(source)?.groups ?? {};
  const digits = whole + fraction;
  // The double has 20 digits at most, so a positive shift is small. A negative one may be as huge as it likes: beyond
  // all digits, they are the fraction.
  const shift = Number(exponent) - fraction.length;
  if (shift < 0 && !/^0+$/.test(digits.slice(shift))) {
    return undefined;
  }
  const integer = BigInt(shift < 0 ? digits.slice(0, shift) : digits + '0'.repeat(shift));
  return source.startsWith('-') ? -integer : integer;
}
