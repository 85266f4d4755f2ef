import { Kind } from 'graphql';
import { int64 } from '@store-gateway/graphql';
import { toInt64 } from '@store-gateway/ops';
import { createScalar } from './scalar.ts';

export const bigIntScalar = createScalar({
  name: 'BigInt',
  description: 'A 64-bit integer as a string, such as `"42"`. Integers are accepted, too.',
  expected: int64.expected,
  jsonSchema: int64.jsonSchema,
  example: 42,
  parse: parseInt64,
  // A double would round what JavaScript takes for a number.
  literalValue: (node) =>
    node.kind === Kind.INT || node.kind === Kind.STRING ? node.value : undefined,
  serialize: (value) => parseInt64(value)?.toString(),
});

function parseInt64(value: unknown): bigint | undefined {
  const isExact =
    typeof value === 'string' || typeof value === 'bigint' || Number.isSafeInteger(value);
  return isExact ? toInt64(String(value)) : undefined;
}
