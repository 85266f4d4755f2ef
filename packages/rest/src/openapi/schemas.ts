import { isDeepStrictEqual } from 'node:util';
import {
  getNamedType,
  getNullableType,
  GraphQLBoolean,
  type GraphQLEnumValue,
  GraphQLID,
  type GraphQLNamedType,
  type GraphQLType,
  isEnumType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredInputField,
  isScalarType,
} from 'graphql';
import { type Json, type JsonObject, StartupFailure } from '@store-gateway/ops';
import {
  deprecationOfType,
  deprecationSentences,
  int64,
  NOT_NULL,
  type References,
} from '@store-gateway/graphql';
import { STRICT } from '@store-gateway/http';
import {
  inputMembers,
  inRestNames,
  isRequired,
  type Member,
  restNamesOf,
  type Value,
  type Variable,
} from '../members.ts';
import { isCreation, type PreparedRoute } from '../rest.ts';
import { nounOf, type Operation } from '../operation.ts';

export const EXAMPLE_ID = 42;

/** The ETag of an empty list. */
export const EXAMPLE_ETAG = '"2-l9Fw4VUO7kr8CvBlt4zaMCqXZ0w"';

/** By default, an ID is a 64-bit integer in REST. */
const SCALARS: Readonly<Record<string, JsonObject>> = {
  Boolean: { type: 'boolean' },
  Float: { type: 'number' },
  ID: int64.jsonSchema,
  Int: { type: 'integer', format: 'int32' },
  String: { type: 'string' },
};

/**
 * Returns the schema of a route's success response. A list of resources has a named schema, which includes the maximum number of
 * items on a page.
 */
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

/** Returns the schema of a member's values, without null. */
function memberSchema(
  { field, members }: Omit<Member, 'key'>,
  components: Components,
  refer: Refer = referTo,
): JsonObject {
  const { jsonSchema, rule, maxItems } = field.extensions;
  const schema =
    jsonSchema ?? typeSchema(field.type, members, { components, refer }, rule?.jsonSchema);
  return maxItems === undefined ? schema : { ...schema, minItems: 1, maxItems };
}

function presetOf(value: Value): JsonObject {
  const preset = plainDefault(value);
  return preset === undefined ? {} : { default: preset };
}

/** Returns the schema of a request body, with all fields of its input type. */
export function bodySchema(
  body: Value,
  resource: GraphQLNamedType,
  components: Components,
): JsonObject {
  const members = inputMembers(body.type);
  const required = members.filter(({ field }) => isRequiredInputField(field));
  return objectSchema(getNamedType(body.type), members, required, resource, components);
}

/** @param ofRule the JSON Schema of the input's rule; for a list, it applies to the items */
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

/** Returns the meaning of an enum value, including its removal if it is deprecated. */
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
 * member with its own default as required, even in requests. The default has the same meaning there (JSON Schema, 9.2).
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

/** Returns the description of a parameter or a member, including its removal if it is deprecated. */
function described(
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

// Parameters have examples only in their schemas, because try-it-out forms fill in a parameter's own example, and `after` would
// then skip the first rows.
const IF_NONE_MATCH: JsonObject = {
  name: 'If-None-Match',
  in: 'header',
  description:
    'Entity tags of responses that the client already has, or `*`. If the current one is among them, the response is 304 (RFC 9110, 13.1.2).',
  schema: { type: 'string', examples: [EXAMPLE_ETAG] },
};

const PREFER: JsonObject = {
  name: 'Prefer',
  in: 'header',
  description: `\`${STRICT}\` rejects unknown parameters.`,
  schema: { type: 'string', examples: [STRICT] },
};

/** Returns the Parameter Objects of a route. */
export function parametersOf(route: PreparedRoute, components: Components): JsonObject[] {
  const { method, operation, variables } = route;
  return [
    ...variables.path.map((variable) => parameter(variable, 'path', operation, components)),
    ...variables.query.map((variable) => parameter(variable, 'query', operation, components)),
    ...(method === 'get' ? [IF_NONE_MATCH] : []),
    ...(variables.precondition ? [ifMatch(variables.precondition)] : []),
    ...(operation.field.extensions.idempotency ? [idempotencyKey(route)] : []),
    PREFER,
  ];
}

function ifMatch(precondition: Variable): JsonObject {
  const isNeeded = isRequired(precondition);
  const otherwise = isNeeded ? 'Without this header, the response is 428.' : '`*` matches any.';
  return {
    name: 'If-Match',
    in: 'header',
    description: `The expected \`ETag\`; a mismatch returns 412 (RFC 9110, 13.1.1). ${otherwise}`,
    ...(isNeeded && { required: true }),
    schema: { type: 'string', examples: [EXAMPLE_ETAG] },
  };
}

function idempotencyKey(route: PreparedRoute): JsonObject {
  const effect = isCreation(route) ? `add the ${nounOf(route.operation)} once` : 'take effect once';
  return {
    name: 'Idempotency-Key',
    in: 'header',
    description: `Makes retries safe: within a day, requests with this key and body ${effect}, and get the same response. Use a UUID, with or without double quotes.`,
    schema: { type: 'string', minLength: 1, maxLength: 257, pattern: '^[ -~]+$' },
  };
}

function parameter(
  variable: Variable,
  place: 'path' | 'query',
  { type }: Operation,
  components: Components,
): JsonObject {
  const [name, field] = variable;
  return {
    name,
    in: place,
    ...described({ ...field, description: inRestNames(field.description ?? '', field) }),
    // A single comma-separated value, because every client can send one.
    ...(isListType(getNullableType(field.type)) && { style: 'form', explode: false }),
    required: place === 'path' || isRequired(variable),
    schema: {
      ...memberSchema({ field, members: [] }, components),
      ...presetOf(field),
      examples: [exampleOf(field, type)],
    },
  };
}

/**
 * Returns an example of a value: its own example, that of the resource's field with the same name, its default, or an example for
 * its type, whichever exists first.
 *
 * @throws StartupFailure if there is none
 */
function exampleOf(value: Value, resource: GraphQLNamedType): Json {
  const same = isObjectType(resource) ? resource.getFields()[value.name] : undefined;
  const example = [
    value.extensions.example,
    same?.extensions.example,
    plainDefault(value),
    exampleOfType(value.type),
  ].find((candidate) => candidate !== undefined);
  if (example === undefined) {
    throw new StartupFailure(`OpenAPI: ${value.name} needs the option example`);
  }
  return example;
}

/**
 * Returns an example of a body that can be sent unchanged. It omits optional members that are deprecated, or that refer to a
 * different resource, because that resource may not exist.
 */
export function bodyExample(field: Value, resource: GraphQLNamedType): Json {
  const members = inputMembers(field.type).filter(
    (member) =>
      isRequiredInputField(member.field) ||
      (member.field.extensions.deprecation === undefined &&
        !(member.key in referencesOf(resource))),
  );
  return memberExample({ field, members }, resource);
}

/**
 * Returns an example of an object or a list, composed of the examples of its members; for any other type, an example of the plain
 * value.
 */
export function memberExample(
  { field, members }: Omit<Member, 'key'>,
  resource: GraphQLNamedType,
): Json {
  if (members.length === 0) {
    return exampleOf(field, resource);
  }
  const type = getNamedType(field.type);
  const example = Object.fromEntries(
    members.map((member) => [
      member.key,
      memberExample(member, isObjectType(type) ? type : resource),
    ]),
  );
  return inListOf(field.type, example);
}

/** Returns a default value if JSON can represent it unchanged, with REST's name for an enum value; otherwise undefined. */
function plainDefault({ type, defaultValue }: Value): string | number | boolean | undefined {
  const value =
    typeof defaultValue === 'string'
      ? (restNamesOf(type)?.get(defaultValue) ?? defaultValue)
      : defaultValue;
  const isPlain =
    typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  return isPlain ? value : undefined;
}

/** Wraps an example in a list if the type is a list. */
function inListOf(type: GraphQLType, example: Json): Json {
  return isListType(getNullableType(type)) ? [example] : example;
}

function exampleOfType(type: GraphQLType): Json | undefined {
  const example = exampleOfNamed(getNamedType(type));
  return example === undefined ? undefined : inListOf(type, example);
}

function exampleOfNamed(type: GraphQLNamedType): Json | undefined {
  if (isEnumType(type)) {
    const values = type.getValues();
    const current = values.find(({ extensions }) => extensions.deprecation === undefined);
    const example = current ?? values[0];
    return example?.extensions.restName ?? example?.name;
  }
  if (type === GraphQLBoolean) {
    return true;
  }
  return type.name === GraphQLID.name
    ? EXAMPLE_ID
    : isScalarType(type)
      ? type.extensions.example
      : undefined;
}

/** Returns the foreign keys of a resource. */
export function referencesOf(resource: GraphQLNamedType): References {
  return (isObjectType(resource) && resource.extensions.references) || {};
}

type Kind = 'schemas' | 'responses' | 'headers';

/** A document's components by name, which are collected while its operations are generated. */
export type Components = Readonly<Record<Kind, Map<string, JsonObject>>>;

export function createComponents(): Components {
  return { schemas: new Map(), responses: new Map(), headers: new Map() };
}

type Refer = (
  components: Components,
  kind: Kind,
  name: string,
  component: JsonObject,
) => JsonObject;

/**
 * Returns a reference to a component, after adding the component if it is new.
 *
 * @throws Error if a different component has that name, for example because two routes select different members of a type
 */
export const referTo: Refer = (components, kind, name, component) => {
  const ofKind = components[kind];
  if (!isDeepStrictEqual(ofKind.get(name) ?? component, component)) {
    throw new Error(`OpenAPI: two different ${kind} would be named ${name}`);
  }
  ofKind.set(name, component);
  return { $ref: `#/components/${kind}/${name}` };
};

/**
 * Returns a reference to the component if it already exists, otherwise the component itself, because an embedded resource may
 * have fewer members than the component.
 */
const referOrInline: Refer = (components, kind, name, component) =>
  isDeepStrictEqual(components[kind].get(name), component)
    ? referTo(components, kind, name, component)
    : component;
