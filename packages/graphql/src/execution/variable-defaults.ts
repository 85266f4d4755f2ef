import {
  astFromValue,
  getNullableType,
  getOperationAST,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  typeFromAST,
  valueFromASTUntyped,
  type DocumentNode,
  type GraphQLInputType,
  type GraphQLSchema,
  type ValueNode,
} from 'graphql';
import { isJsonObject } from '@store-gateway/ops';

type Values = Readonly<Record<string, unknown>>;

/** The value of a variable or input field that is left out, and the defaults to fill in within a given value. */
interface Place {
  readonly name: string;
  readonly missing: unknown;
  readonly fill: ((value: unknown) => unknown) | undefined;
}

/**
 * Gives variables and input fields that are left out their defaults where null is not taken: those graphql-jit 0.8.9
 * forgets. They are filled in as a client would have sent them, in copies.
 */
export function createFillDefaults(
  schema: GraphQLSchema,
  document: DocumentNode,
): (variables: Values) => Values {
  const definitions = getOperationAST(document)?.variableDefinitions ?? [];
  const places = definitions.flatMap(({ variable, type: typeNode, defaultValue }) => {
    const type = typeFromAST(schema, typeNode);
    return isInputType(type) ? placesOf(variable.name.value, type, defaultValue) : [];
  });
  return (variables) => filled(variables, places);
}

/** The place, unless there is nothing to fill in. The type isn't recursive: such ones aren't compiled. */
function placesOf(
  name: string,
  type: GraphQLInputType,
  defaultNode: ValueNode | null | undefined,
): Place[] {
  const missing = isNonNullType(type) && defaultNode ? valueFromASTUntyped(defaultNode) : undefined;
  const fill = fillOf(type);
  return missing === undefined && fill === undefined ? [] : [{ name, missing, fill }];
}

function fillOf(type: GraphQLInputType): Place['fill'] {
  const nullable = getNullableType(type);
  if (isListType(nullable)) {
    const fill = fillOf(nullable.ofType);
    return fill && ((value) => (Array.isArray(value) ? value.map(fill) : fill(value)));
  }
  if (!isInputObjectType(nullable)) {
    return undefined;
  }
  const places = Object.values(nullable.getFields()).flatMap((field) =>
    placesOf(field.name, field.type, astFromValue(field.defaultValue, field.type)),
  );
  return places.length === 0
    ? undefined
    : (value) => (isJsonObject(value) ? filled(value, places) : value);
}

function filled(values: Values, places: readonly Place[]): Values {
  let copy: Record<string, unknown> | undefined;
  for (const { name, missing, fill } of places) {
    const given = values[name];
    const value = given === undefined ? missing : (fill?.(given) ?? given);
    if (value !== given) {
      copy ??= { ...values };
      copy[name] = value;
    }
  }
  return copy ?? values;
}
