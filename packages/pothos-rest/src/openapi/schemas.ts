import {
  getNamedType,
  getNullableType,
  isEnumType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredInputField,
  isScalarType,
  type GraphQLNamedType,
  type GraphQLType,
} from 'graphql';
import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '@gateway/exact-json/json';
import { int64 } from '@gateway/pothos-plugins/input-rules';
import { inputMembers, type Member, type Value } from '../members.ts';
import { exampleOf, plainDefault } from './examples.ts';

/** The schemas of a document by name, collected while its operations are written. */
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

/** The schema of a member's or a representation's value that isn't null. */
export function memberSchema(
  { field, members }: Omit<Member, 'key'>,
  schemas: Schemas,
): JsonObject {
  const { jsonSchema, rule } = field.extensions;
  return jsonSchema ?? rule?.jsonSchema ?? typeSchema(field.type, members, schemas);
}

export function presetOf(value: Value): JsonObject {
  const preset = plainDefault(value);
  return preset === undefined ? {} : { default: preset };
}

/** The schema of a body: all fields of its type. */
export function bodySchema(body: Value, resource: GraphQLNamedType, schemas: Schemas): JsonObject {
  const members = inputMembers(body.type);
  const required = members.filter(({ field }) => isRequiredInputField(field));
  return objectSchema(getNamedType(body.type), members, required, resource, schemas);
}

function typeSchema(type: GraphQLType, members: readonly Member[], schemas: Schemas): JsonObject {
  const nullable = getNullableType(type);
  if (isListType(nullable)) {
    const item: GraphQLType = nullable.ofType;
    return listSchema(item, orNull(item, typeSchema(item, members, schemas)), schemas);
  }
  if (isEnumType(nullable)) {
    const values = nullable.getValues();
    const lines = values.map(({ name, description }) => `- \`${name}\`: ${description ?? ''}`);
    return addSchema(schemas, nullable.name, {
      type: 'string',
      description: [`${nullable.description ?? ''}\n`, ...lines].join('\n'),
      enum: values.map(({ name }) => name),
    });
  }
  if (isObjectType(nullable)) {
    return objectSchema(nullable, members, members, nullable, schemas);
  }
  const schema = isScalarType(nullable)
    ? (nullable.extensions.jsonSchema ?? SCALARS[nullable.name])
    : undefined;
  if (schema === undefined) {
    throw new Error(
      `OpenAPI: ${String(type)} has no JSON Schema; a scalar's is an extension of it`,
    );
  }
  return schema;
}

/** Lists of resources have a named schema. */
function listSchema(item: GraphQLType, items: JsonObject, schemas: Schemas): JsonObject {
  const type = getNullableType(item);
  const plural = isObjectType(type) ? type.extensions.resource?.plural : undefined;
  if (plural === undefined) {
    return { type: 'array', items };
  }
  const description = `A list of ${String(type)}.`;
  const name = plural.charAt(0).toUpperCase() + plural.slice(1);
  return addSchema(schemas, name, { type: 'array', description, items });
}

function objectSchema(
  { name, description }: GraphQLNamedType,
  members: readonly Member[],
  required: readonly Member[],
  resource: GraphQLNamedType,
  schemas: Schemas,
): JsonObject {
  return addSchema(schemas, name, {
    type: 'object',
    description: description ?? '',
    required: required.map(({ key }) => key),
    properties: Object.fromEntries(
      members.map((member) => [
        member.key,
        {
          ...orNull(member.field.type, memberSchema(member, schemas)),
          ...presetOf(member.field),
          description: member.field.description ?? '',
          ...(member.members.length === 0 && { examples: [exampleOf(member.field, resource)] }),
        },
      ]),
    ),
  });
}

function orNull(type: GraphQLType, schema: JsonObject): JsonObject {
  return isNonNullType(type) ? schema : { anyOf: [schema, { type: 'null' }] };
}
