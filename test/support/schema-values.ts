import { expect } from 'vitest';
import { resolve } from './json-schema.ts';
import { document, object } from './openapi.ts';

const INTEGERS: Readonly<Record<string, readonly [lowest: string, highest: string]>> = {
  int32: ['-2147483648', '2147483647'],
  int64: ['-9223372036854775808', '9223372036854775807'],
};

const FORMATTED: Readonly<Record<string, { good: string[]; bad: string[] }>> = {
  date: { good: ['"2024-02-29"'], bad: ['"2023-02-29"', '"2024-02-29T00:00:00Z"', '5'] },
  'date-time': { good: ['"2024-02-29T12:00:00Z"'], bad: ['"2023-02-29T12:00:00Z"', '"x"', '5'] },
  uuid: { good: ['"0d5f2c5e-8a4b-4c36-9a57-3f0e6c1b2a4d"'], bad: ['"x"', '5'] },
};

/** Values at the bounds that a schema sets, within and beyond, as JSON texts. */
export function valuesFor(schema: Record<string, unknown>): { good: string[]; bad: string[] } {
  const { $ref, anyOf = [], allOf = [], format, minimum, maximum, minLength, maxLength } = schema;
  if (typeof $ref === 'string') {
    return valuesFor(object(resolve(document, $ref)));
  }
  const alternative = [anyOf, allOf]
    .flat(2)
    .map(object)
    .find((one) => one['type'] !== 'null');
  if (alternative !== undefined) {
    return valuesFor(alternative);
  }
  const [type] = [schema['type']].flat();
  if (Array.isArray(schema['enum'])) {
    return { good: schema['enum'].map((value) => JSON.stringify(value)), bad: ['"lost"', '""'] };
  }
  if (type === 'integer') {
    const [lowest = '', highest = ''] = INTEGERS[String(format)] ?? [];
    const least = typeof minimum === 'number' ? BigInt(minimum) : BigInt(lowest);
    const most = typeof maximum === 'number' ? BigInt(maximum) : BigInt(highest);
    return {
      good: [`${least}`, `${most}`],
      bad: [`${least - 1n}`, `${most + 1n}`, '1.5', '"x"'],
    };
  }
  if (type === 'array') {
    const { good, bad } = valuesFor(object(schema['items']));
    const tooMany = Array.from({ length: Number(schema['maxItems']) + 1 }, () => good[0] ?? '');
    return { good: [...good, good.join(',')], bad: [...bad, tooMany.join(',')] };
  }
  if (type === 'number') {
    return { good: ['1.5', '-2'], bad: ['"x"', 'true'] };
  }
  if (type === 'boolean') {
    return { good: ['true', 'false'], bad: ['"x"', '1'] };
  }
  const formatted = FORMATTED[String(format)];
  if (formatted !== undefined) {
    return formatted;
  }
  expect(type).toBe('string');
  const shortest = Number(minLength ?? 0);
  const longest = Number(maxLength ?? shortest + 1);
  return {
    good: [shortest, longest].map((length) => JSON.stringify('🐈'.repeat(length))),
    bad: [
      ...(shortest > 0 ? [shortest - 1] : []),
      ...(maxLength === undefined ? [] : [longest + 1]),
    ]
      .map((length) => JSON.stringify('🐈'.repeat(length)))
      .concat('"\\u0000"', '5'),
  };
}

/** Whether null is a value. */
export function isNullable({ type, anyOf = [] }: Record<string, unknown>): boolean {
  return [type, ...[anyOf].flat().map((one) => object(one)['type'])].flat().includes('null');
}
