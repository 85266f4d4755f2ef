import { toInt64 } from '@store-gateway/ops';

/** What an argument or input field accepts, beyond its type. */
export interface InputRule {
  /** Ends the sentence "NAME must be …", also for a value of the wrong type. */
  readonly expected: string;
  /** Whether a value of the right type satisfies the rule. */
  accepts(value: unknown): boolean;
  /** The JSON Schema of the value in REST. */
  readonly jsonSchema: Readonly<Record<string, string | number>>;
}

/** An ID that is a 64-bit integer. It stays a string. */
export const int64: InputRule = {
  expected: `an integer between ${-(2n ** 63n)} and ${2n ** 63n - 1n}`,
  accepts: (value) => typeof value === 'string' && toInt64(value) !== undefined,
  // The format implies the bounds. Most JSON parsers would round them as numbers.
  jsonSchema: { type: 'integer', format: 'int64' },
};

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** An ID that is a UUID (RFC 9562), of any version. */
export const uuid: InputRule = {
  expected: 'a UUID such as 0194f3c2-7c1e-4b6a-9d52-3f8a6c0e1b47',
  accepts: (value) => typeof value === 'string' && UUID.test(value),
  jsonSchema: { type: 'string', format: 'uuid' },
};

/** An integer from a minimum to a maximum, both included. */
export function integerBetween(minimum: number, maximum: number): InputRule {
  return {
    expected: `an integer between ${minimum} and ${maximum}`,
    accepts: (value) => typeof value === 'number' && value >= minimum && value <= maximum,
    jsonSchema: { type: 'integer', minimum, maximum },
  };
}

/** Text that PostgreSQL can store: no NUL, no unpaired surrogates. Its length is in code points. */
export function text(minimum: number, maximum: number): InputRule {
  return {
    expected: `a string of ${minimum} to ${maximum} characters, without NUL or unpaired surrogates`,
    accepts: (value) => {
      if (typeof value !== 'string' || !value.isWellFormed() || value.includes('\0')) {
        return false;
      }
      const length = Array.from(value).length;
      return length >= minimum && length <= maximum;
    },
    // \x, because not every dialect of regular expressions has \u.
    jsonSchema: {
      type: 'string',
      minLength: minimum,
      maxLength: maximum,
      pattern: String.raw`^[^\x00]*$`,
    },
  };
}

/**
 * A Decimal that a column `@db.Decimal(precision, scale)` stores unchanged: `precision` digits, `scale` of them after the
 * point.
 */
export function decimal(precision: number, scale: number): InputRule {
  const whole = precision - scale;
  const fraction = scale === 0 ? '' : String.raw`(\.\d{1,${scale}})?`;
  const pattern = `^-?${whole === 0 ? '0' : String.raw`\d{1,${whole}}`}${fraction}$`;
  const digits = new RegExp(pattern);
  return {
    expected: `a decimal number as a string, with at most ${whole} digits before the point and ${scale} after it`,
    accepts: (value) => typeof value === 'string' && digits.test(value),
    jsonSchema: { type: 'string', pattern },
  };
}
