import { GraphQLError, GraphQLScalarType, type ValueNode } from 'graphql';
import type { ValueFacts } from '@store-gateway/graphql';

interface ScalarOptions<Value> extends Required<ValueFacts> {
  readonly name: string;
  readonly description: string;
  /** Ends the sentence "NAME must be …". */
  readonly expected: string;
  /** Undefined for what it doesn't take. Input rules check parsed values, too: it returns them as they are. */
  readonly parse: (value: unknown) => Value | undefined;
  /** The value of a literal, for a scalar that needs more of a number than its double. */
  readonly literalValue?: (node: ValueNode) => unknown;
  /** Undefined for what isn't one of its values. */
  readonly serialize: (value: unknown) => unknown;
}

export function createScalar<Value>(
  options: ScalarOptions<Value>,
): GraphQLScalarType<Value, unknown> {
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
