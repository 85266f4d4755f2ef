import { isEnumType, type GraphQLEnumType, type GraphQLScalarType } from 'graphql';
import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '@gateway/exact-json/json';
import { int64 } from '@gateway/pothos-plugins/input-rules';

/** The schemas of a document by their names, which it gathers while it is made. */
export type Schemas = Map<string, JsonObject>;

/** REST writes and reads every ID as an integer of 64 bits. */
const SCALARS: Readonly<Record<string, JsonObject>> = {
  Boolean: { type: 'boolean' },
  Float: { type: 'number' },
  ID: int64.jsonSchema,
  Int: { type: 'integer', format: 'int32' },
  String: { type: 'string' },
};

/**
 * A reference to a schema, which is added if it is new.
 *
 * @throws if another one has that name: two routes that show different members of a type
 */
export function addSchema(schemas: Schemas, name: string, schema: JsonObject): JsonObject {
  if (!isDeepStrictEqual(schemas.get(name) ?? schema, schema)) {
    throw new Error(`OpenAPI: ${name} would be the name of two schemas`);
  }
  schemas.set(name, schema);
  return { $ref: `#/components/schemas/${name}` };
}

/** The schema of an enum or a scalar. */
export function leafSchema(
  type: GraphQLEnumType | GraphQLScalarType,
  schemas: Schemas,
): JsonObject {
  if (isEnumType(type)) {
    const values = type.getValues();
    const lines = values.map(({ name, description }) => `- \`${name}\`: ${description ?? ''}`);
    return addSchema(schemas, type.name, {
      type: 'string',
      description: [`${type.description ?? ''}\n`, ...lines].join('\n'),
      enum: values.map(({ name }) => name),
    });
  }
  const schema = SCALARS[type.name];
  if (schema === undefined) {
    throw new Error(`OpenAPI: there is no schema for the scalar ${type.name}`);
  }
  return schema;
}
