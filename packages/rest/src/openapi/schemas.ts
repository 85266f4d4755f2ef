import {
  getNamedType,
  getNullableType,
  isEnumType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredInputField,
  isScalarType,
  type GraphQLEnumValue,
  type GraphQLNamedType,
  type GraphQLType,
} from 'graphql';
import type { JsonObject } from '@store-gateway/ops';
import { deprecationSentences, int64, deprecationOfType, NOT_NULL } from '@store-gateway/graphql';
import { inputMembers, type Member, type Value } from '../members.ts';
import type { PreparedRoute } from '../rest.ts';
import { restNamesOf } from '../rest-names.ts';
import { referOrInline, referTo, type Components, type Refer } from './components.ts';
import { exampleOf, plainDefault } from './examples.ts';

/** By default, REST writes and reads an ID as a 64-bit integer. */
const SCALARS: Readonly<Record<string, JsonObject>> = {
  Boolean: { type: 'boolean' },
  Float: { type: 'number' },
  ID: int64.jsonSchema,
  Int: { type: 'integer', format: 'int32' },
  String: { type: 'string' },
};

/** The schema of a route's success response. The schema of a list of resources has a name, and the maximum length of a page. */
export function representationSchema(
  { operation: { resource, type }, variables }: PreparedRoute,
  components: Components,
): JsonObject {
  const schema = memberSchema(resource, components);
  const plural = isObjectType(type) ? type.extensions.resource?.plural : undefined;
  if (plural === undefined || !isListType(getNullableType(resource.field.type))) {
    return schema;
  }
  const [, limit] = variables.query.find(([, { name }]) => name === 'limit') ?? [];
  const maximum = limit?.extensions.rule?.jsonSchema['maximum'];
  return referTo(components, 'schemas', plural.charAt(0).toUpperCase() + plural.slice(1), {
    ...schema,
    ...(maximum !== undefined && { maxItems: maximum }),
    description: `A list of ${type.name}.`,
  });
}

/** The schema of a value that isn't null. */
export function memberSchema(
  { field, members }: Omit<Member, 'key'>,
  components: Components,
  refer: Refer = referTo,
): JsonObject {
  const { jsonSchema, rule, maxItems } = field.extensions;
  const schema =
    jsonSchema ?? typeSchema(field.type, members, { components, refer }, rule?.jsonSchema);
  return maxItems === undefined ? schema : { ...schema, minItems: 1, maxItems };
}

export function presetOf(value: Value): JsonObject {
  const preset = plainDefault(value);
  return preset === undefined ? {} : { default: preset };
}

/** The schema of a request body, with all fields of its input type. */
export function bodySchema(
  body: Value,
  resource: GraphQLNamedType,
  components: Components,
): JsonObject {
  const members = inputMembers(body.type);
  const required = members.filter(({ field }) => isRequiredInputField(field));
  return objectSchema(getNamedType(body.type), members, required, resource, components);
}

/** @param ofRule the JSON Schema of the input's rule, which applies to the items of a list */
function typeSchema(
  type: GraphQLType,
  members: readonly Member[],
  { components, refer }: { readonly components: Components; readonly refer: Refer },
  ofRule: JsonObject | undefined,
): JsonObject {
  const nullable = getNullableType(type);
  if (isListType(nullable)) {
    const item: GraphQLType = nullable.ofType;
    return {
      type: 'array',
      items: orNull(!isNonNullType(item), typeSchema(item, members, { components, refer }, ofRule)),
    };
  }
  if (ofRule !== undefined) {
    return ofRule;
  }
  if (isEnumType(nullable)) {
    const values = nullable.getValues();
    const names = restNamesOf(nullable);
    const nameOf = ({ name }: GraphQLEnumValue): string => names?.get(name) ?? name;
    const lines = values.map((value) => `- \`${nameOf(value)}\`: ${meaningOf(value)}`);
    return referTo(components, 'schemas', nullable.name, {
      type: 'string',
      description: [`${nullable.description ?? ''}\n`, ...lines].join('\n'),
      enum: values.map(nameOf),
      ...(deprecationOfType(nullable) && { deprecated: true }),
    });
  }
  if (isObjectType(nullable)) {
    return objectSchema(nullable, members, members, nullable, components, refer);
  }
  const schema = isScalarType(nullable)
    ? (nullable.extensions.jsonSchema ?? SCALARS[nullable.name])
    : undefined;
  if (schema === undefined) {
    throw new Error(
      `OpenAPI: ${String(type)} has no JSON Schema; set the scalar's extension jsonSchema`,
    );
  }
  return schema;
}

/** The meaning of an enum value, including its removal if it is deprecated. */
function meaningOf({ description, extensions: { deprecation } }: GraphQLEnumValue): string {
  const end = deprecation ? deprecationSentences(deprecation, []) : '';
  return `${description ?? ''} ${end}`.trim();
}

function objectSchema(
  type: GraphQLNamedType,
  members: readonly Member[],
  required: readonly Member[],
  resource: GraphQLNamedType,
  components: Components,
  refer: Refer = referTo,
): JsonObject {
  return refer(components, 'schemas', type.name, {
    type: 'object',
    description: type.description ?? '',
    ...(deprecationOfType(type) && { deprecated: true }),
    required: required.map(({ key }) => key),
    properties: Object.fromEntries(
      members.map((member) => [
        member.key,
        {
          ...withPreset(
            orNull(isNullable(member.field), memberSchema(member, components, referOrInline)),
            member.field,
          ),
          ...(member.members.length === 0 && { examples: [exampleOf(member.field, resource)] }),
        },
      ]),
    ),
  });
}

/**
 * Adds a member's default and description to its schema. The default is in a subschema, because openapi-typescript treats a
 * member with its own default as required, even in requests. The default means the same there (JSON Schema, 9.2).
 */
function withPreset(schema: JsonObject, field: Value): JsonObject {
  const preset = plainDefault(field);
  return preset === undefined
    ? { ...schema, ...described(field) }
    : {
        allOf: [{ ...schema, default: preset }],
        ...described(field, ` By default \`${preset}\`.`),
      };
}

/** The description of a parameter or a member, including its removal if it is deprecated. */
export function described(
  { description, extensions: { deprecation } }: Value,
  preset = '',
): { readonly description: string; readonly deprecated?: true } {
  // The JSON Schema already shows which values can't be null.
  const words = (description ?? '').replace(NOT_NULL, '') + preset;
  return deprecation === undefined
    ? { description: words }
    : {
        description: `${words}\n\n${deprecationSentences(deprecation, [])}`.trim(),
        deprecated: true,
      };
}

function isNullable({ type, extensions }: Value): boolean {
  return !isNonNullType(type) && extensions.notNull !== true;
}

function orNull(isOrNull: boolean, schema: JsonObject): JsonObject {
  return isOrNull ? { anyOf: [schema, { type: 'null' }] } : schema;
}
