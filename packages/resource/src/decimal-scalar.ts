import { createScalar } from './scalar.ts';

const DECIMAL = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

export const decimalScalar = createScalar({
  name: 'Decimal',
  description:
    'An exact decimal number as a string such as `"12.5"`, without exponent or trailing zeros.',
  expected: 'a decimal number as a string, such as "12.50"',
  // PostgreSQL has these, too.
  jsonSchema: { type: 'string', pattern: String.raw`^(-?\d+(\.\d+)?|NaN|-?Infinity)$` },
  // For a column without a fraction, too.
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
