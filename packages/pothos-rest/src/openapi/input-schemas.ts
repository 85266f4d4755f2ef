import {
  getNullableType,
  isInputObjectType,
  isLeafType,
  isRequiredInputField,
  type GraphQLInputObjectType,
} from 'graphql';
import type { Json, JsonObject } from '@gateway/exact-json/json';
import type { Input } from '@gateway/pothos-plugins/input-faults';
import { exampleOf } from './examples.ts';
import { addSchema, leafSchema, type Schemas } from './schemas.ts';

/** What a parameter or a member of a body may be: what the argument takes that it is given to. */
export function inputSchema(input: Input, schemas: Schemas): JsonObject {
  const type = getNullableType(input.type);
  if (!isLeafType(type)) {
    throw new Error(`OpenAPI: ${input.name} is no enum or scalar`);
  }
  const { rule } = input.extensions;
  return {
    ...(rule?.jsonSchema ?? leafSchema(type, schemas)),
    ...defaultOf(input),
  };
}

/** The schema of a body, of the members that a route reads. */
export function bodySchema(input: Input, members: readonly string[], schemas: Schemas): JsonObject {
  const type = inputObject(input);
  const fields = Object.values(type.getFields()).filter(({ name }) => members.includes(name));
  return addSchema(schemas, type.name, {
    type: 'object',
    description: type.description ?? '',
    required: fields.filter(isRequiredInputField).map(({ name }) => name),
    properties: Object.fromEntries(
      fields.map((field) => [
        field.name,
        {
          ...inputSchema(field, schemas),
          description: field.description ?? '',
          examples: [exampleOf(field.name)],
        },
      ]),
    ),
  });
}

export function inputObject({ name, type }: Input): GraphQLInputObjectType {
  const nullable = getNullableType(type);
  if (!isInputObjectType(nullable)) {
    throw new Error(`OpenAPI: the body of a route makes up ${name}, which is no input object`);
  }
  return nullable;
}

function defaultOf({ defaultValue }: Input): { default?: Json } {
  switch (typeof defaultValue) {
    case 'string':
    case 'number':
    case 'boolean':
      return { default: defaultValue };
    default:
      return {};
  }
}
